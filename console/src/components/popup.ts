/** Looks of what lies above the page. */
export const popup =
  'max-w-(--available-width) rounded-surface border border-line bg-raised text-ink shadow-lg outline-none'

export const option =
  'flex min-h-8 items-center gap-2 px-3 py-1 outline-none select-none data-highlighted:bg-hover pointer-coarse:min-h-11'
