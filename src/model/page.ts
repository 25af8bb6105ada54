/** Selects a page of a list. */
export interface PageRange {
  /** Items before the page. */
  cursor: number
  /** Maximum items on the page. */
  limit: number
}

/** A page of a list, or a whole list. */
export interface Listed<T> {
  items: T[]
  /** Items of the whole list. */
  count: number
}
