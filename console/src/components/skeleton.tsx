/** Rows in the size of what is loading, so that nothing moves when it comes. `height` in px. */
export function Skeleton({ rows = 1, height = 36 }: { rows?: number; height?: number }) {
  return (
    <div aria-hidden className="flex flex-col gap-1">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are alike
        <div key={row} className="rounded-control bg-hover" style={{ height }} />
      ))}
    </div>
  )
}
