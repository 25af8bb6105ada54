import { z } from 'zod'
import type { Listed, PageRange } from '../../model/page.ts'

const limitProblem = 'must be between 1 and 100'

/** Selects a page of a list; `cursor` says from where this offset counts. */
export const pageInput = (cursor: string) =>
  z.strictObject({
    limit: z.int(limitProblem).min(1, limitProblem).max(100, limitProblem).default(100).describe('Page size.'),
    cursor: z.int().min(0, 'must not be negative').max(Number.MAX_SAFE_INTEGER).default(0).describe(cursor),
  })

/** A page of what the caller may see; `count` is the total of all pages. */
export interface Page<T> extends Listed<T> {
  /** The cursor of the next page; null on the last one. */
  nextCursor: number | null
}

/** The page that was read. Without a range it is the whole list. */
export const pageOf = <T>(listed: Listed<T>, range?: PageRange): Page<T> => ({
  ...listed,
  nextCursor: range ? nextCursor(range, listed.count) : null,
})

/** A page of a list that is already in memory. */
export const pageWithin = <T>(items: readonly T[], range?: PageRange): Page<T> => {
  const page = range ? items.slice(range.cursor, range.cursor + range.limit) : [...items]
  return pageOf({ items: page, count: items.length }, range)
}

export const nextCursor = ({ cursor, limit }: PageRange, count: number): number | null =>
  cursor + limit < count ? cursor + limit : null
