import { useEffect, useRef, useState } from 'react'
import { useUrl } from '../session/url.ts'

/** Where a table is in a list of which it has a part. */
export interface ListPlace {
  /** How many come before the rows that are there. There is room for them. */
  offset: number
  /** How many there are in all, as far as is known. */
  total: number
  /** The row at the top, when the table opens and whenever this changes. */
  at: { row: number }
  /** Called with the rows that are visible after scrolling. */
  onScroll(first: number, last: number): void
}

/** Pages begin at its multiples. */
const pageSize = 100
/** Rows that are loaded before they are visible. */
const ahead = 24
const scrollingMs = 100

const pageOf = (row: number) => row - (row % pageSize)

/** The first row that is visible stands in the URL as `cursor`; the list is loaded from its page on. */
export function useUrlStart() {
  const { get, set } = useUrl()
  const cursor = Number(get('cursor'))
  const inUrl = Number.isSafeInteger(cursor) && cursor > 0 ? cursor : 0
  const [at, setAt] = useState({ row: inUrl })
  const [from, setFrom] = useState(pageOf(inUrl))
  const written = useRef(inUrl)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // Back, a link, or another filter: not what was scrolled here.
    if (inUrl === written.current) return
    clearTimeout(timer.current)
    written.current = inUrl
    setFrom(pageOf(inUrl))
    setAt({ row: inUrl })
  }, [inUrl])
  useEffect(() => () => clearTimeout(timer.current), [])
  const write = (row: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      if (row === written.current) return
      written.current = row
      void set({ cursor: row > 0 ? String(row) : undefined }, { replace: true })
    }, scrollingMs)
  }
  return { at, from, loadFrom: (row: number) => setFrom(pageOf(row)), write }
}

export interface LoadedRows {
  rows: readonly unknown[]
  offset: number
  count: number
  isStale: boolean
  isFetching: boolean
  onStart(): void
  onEnd(): void
}

/** Loads what is scrolled to: the next pages where they follow, else from there. */
export function useListPlace(start: ReturnType<typeof useUrlStart>, list: LoadedRows): ListPlace {
  const { rows, offset, count, isStale, isFetching } = list
  const { at, from, loadFrom, write } = start
  const end = offset + rows.length
  const total = Math.max(count, end, isStale ? from + pageSize : 0)
  const visible = useRef({ first: at.row, last: at.row })
  const load = () => {
    const { first, last } = visible.current
    if (isStale || isFetching) return
    if (first > end || last < offset - pageSize) return loadFrom(Math.min(first, Math.max(0, total - 1)))
    if (last + ahead >= end) list.onEnd()
    if (first - ahead < offset) list.onStart()
  }
  // What came may not reach as far as what is visible by now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when something came
  useEffect(load, [end, offset, isFetching])
  const isBeyond = rows.length === 0 && from > 0 && !isFetching
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the list turns out to be shorter
  useEffect(() => {
    if (!isBeyond) return
    loadFrom(0)
    write(0)
  }, [isBeyond])
  const onScroll = (first: number, last: number) => {
    visible.current = { first, last }
    write(first)
    load()
  }
  return { offset, total, at, onScroll }
}
