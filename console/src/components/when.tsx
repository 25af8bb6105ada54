// Made once: to make one takes longer than to draw the row that it stands in.
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
// In the language of the sentences that it stands in.
const ago = new Intl.RelativeTimeFormat('en')

/** A moment by the reader's own clock; nothing without one. */
export const momentText = (at: number | null | undefined): string => (at ? moment.format(at) : '')

/** Its day alone: in a list, for what ends with it. */
export const dayText = (at: number | null | undefined): string => (at ? day.format(at) : '')

/** How long ago it was: "2 minutes ago". */
export function agoText(at: number): string {
  const minutes = Math.round((Date.now() - at) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return ago.format(-minutes, 'minute')
  const hours = Math.round(minutes / 60)
  return hours < 24 ? ago.format(-hours, 'hour') : ago.format(-Math.round(hours / 24), 'day')
}

/** The same as an element, whose tooltip adds seconds and time zone. */
export function When({ at }: { at: number | null | undefined }) {
  if (!at) return null
  return (
    <time dateTime={new Date(at).toISOString()} title={exact.format(at)}>
      {moment.format(at)}
    </time>
  )
}
