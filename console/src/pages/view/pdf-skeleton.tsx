/** The room of a PDF, however many pages it has and whatever their shape: nothing below it moves when it comes. */
export const PdfSkeleton = () => <div aria-hidden className="h-[72vh] rounded-surface bg-hover" />
