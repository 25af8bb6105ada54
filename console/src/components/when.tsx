/** A moment by the reader's own clock; the tooltip adds the time zone. Nothing without one. */
export function When({ at }: { at: number | null | undefined }) {
  if (!at) return null
  const date = new Date(at)
  return (
    <time
      dateTime={date.toISOString()}
      title={date.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'long' })}
    >
      {date.toLocaleString()}
    </time>
  )
}
