import type { RefObject } from 'react'
import { useKeys } from './keys.ts'

/**
 * `j` and `k` move the focus to the next and previous item in `container`: elements with `data-item`, their index.
 * `reveal` brings one into the page that is not there yet.
 */
export function useItemKeys(container: RefObject<HTMLElement | null>, reveal?: (index: number) => void): void {
  const focus = (index: number): boolean => {
    const item = container.current?.querySelector<HTMLElement>(`[data-item="${index}"]`)
    const target = item?.querySelector<HTMLElement>('a, button') ?? item
    target?.focus()
    target?.scrollIntoView({ block: 'nearest' })
    return Boolean(target)
  }
  /** At once where it can be: Enter may follow before the next frame. Else once what was scrolled to is rendered. */
  const focusSoon = (index: number, frames = 10) => {
    if (!focus(index) && frames > 0) requestAnimationFrame(() => focusSoon(index, frames - 1))
  }
  const step = (by: number) => {
    const active = document.activeElement?.closest<HTMLElement>('[data-item]')
    if (active && !container.current?.contains(active)) return false
    const index = active ? Number(active.dataset.item) + by : 0
    if (index < 0) return true
    reveal?.(index)
    focusSoon(index)
    return true
  }
  useKeys({ j: () => step(1), k: () => step(-1) })
}
