/** Looks of what lies above the page. */
export const popup = 'rounded-surface border border-line bg-raised text-ink shadow-lg outline-none'

export const option = 'flex min-h-8 items-center gap-2 px-3 py-1 outline-none select-none pointer-coarse:min-h-11'

export const intoSight = (element: HTMLElement | null) => element?.scrollIntoView({ block: 'nearest' })

/** Puts it below what it belongs to, at its start or end; above where there is no room below. */
export function placeBeside(anchor: HTMLElement, popover: HTMLElement, align: 'start' | 'end'): void {
  const { top, bottom, left, right } = anchor.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const { offsetWidth, offsetHeight } = popover
  const below = bottom + 4
  const start = align === 'start' ? left : Math.min(right, clientWidth - 8) - offsetWidth
  Object.assign(popover.style, {
    inset: 'auto',
    left: `${Math.max(8, Math.min(start, clientWidth - 8 - offsetWidth))}px`,
    top: `${below + offsetHeight <= clientHeight ? below : Math.max(8, top - 4 - offsetHeight)}px`,
  })
}
