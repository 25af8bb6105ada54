/** The room of a PDF, of one page of A4 at most, however many pages it has: nothing below it moves when it comes. */
export function PdfSkeleton({ loaded = 0 }: { loaded?: number }) {
  return (
    <div className="flex flex-col gap-2">
      <div className="flex h-8 items-center gap-3 text-muted">
        Loading the file
        <progress aria-label="Loading the file" className="flex-1" max={1} value={loaded > 0 ? loaded : undefined} />
      </div>
      <div aria-hidden className="aspect-[1/1.414] max-h-[72vh] rounded-surface bg-hover" />
    </div>
  )
}
