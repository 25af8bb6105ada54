import type { Hit } from './use-search.ts'

/** What a hit looks like beside its words: a page, a picture, a recording; null for text and code. */
export type Look = 'page' | 'picture' | 'recording' | null

export function lookOf({ plane, locator, mime }: Pick<Hit, 'plane' | 'locator' | 'mime'>): Look {
  if (plane === 'audio' || locator?.__typename === 'TimeRange') return 'recording'
  if (locator?.__typename === 'BoundingBox') return locator.page == null ? 'picture' : 'page'
  if (plane === 'doc_visual') return 'page'
  return plane === 'visual' || mime?.startsWith('image/') ? 'picture' : null
}

export type Box = Record<'x' | 'y' | 'w' | 'h', number>

/** The part of the page or picture that the hit is; null for the whole. */
export function boxOf(locator: Hit['locator']): Box | null {
  if (locator?.__typename !== 'BoundingBox') return null
  return locator.w * locator.h < 0.98 ? locator : null
}
