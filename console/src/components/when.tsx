// Made once: to make one takes longer than to draw the row that it stands in.
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

/** A moment by the reader's own clock; nothing without one. */
export const momentText = (at: number | null | undefined): string => (at ? moment.format(at) : '')

/** Its day alone: in a list, for what ends with it. */
export const dayText = (at: number | null | undefined): string => (at ? day.format(at) : '')

/** The same as an element, whose tooltip adds seconds and time zone. */
export function When({ at }: { at: number | null | undefined }) {
  if (!at) return null
  return (
    <time dateTime={new Date(at).toISOString()} title={exact.format(at)}>
      {moment.format(at)}
    </time>
  )
}
