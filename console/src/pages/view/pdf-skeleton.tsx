/** The room of a PDF, of one page of A4 at most, however many pages it has: nothing below it moves when it comes. */
export const PdfSkeleton = () => <div aria-hidden className="aspect-[1/1.414] max-h-[72vh] rounded-surface bg-hover" />
