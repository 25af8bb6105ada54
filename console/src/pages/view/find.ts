import { useMemo } from 'react'
import { useUrl } from '../../session/url.ts'
import type { Span } from './places.ts'

/** More are neither counted nor marked. */
export const maxFound = 1_000

/** Marks the found places beside the Units. No Unit has these ids. */
const [foundId, shownId] = [' found', ' shown']

export interface Found {
  /** What is looked for; empty: nothing. */
  words: string
  /** Its places in the text, in order. The one that is shown has an id of its own. */
  spans: readonly Span[]
  /** The index of the one that is shown, -1 without any. */
  at: number
}

/** Where `words` stand in a text, whatever their case. Offsets are UTF-16. */
export function placesOf(words: string, text: string): number[] {
  const wanted = words.toLowerCase()
  const folded = text.toLowerCase()
  const starts: number[] = []
  // A few letters change their length with their case: then only the words as they are written are found.
  const [inside, sought] = folded.length === text.length ? [folded, wanted] : [text, words]
  for (let at = sought === '' ? -1 : inside.indexOf(sought); at >= 0; at = inside.indexOf(sought, at + sought.length)) {
    starts.push(at)
    if (starts.length === maxFound) break
  }
  return starts
}

/** What the URL says is looked for in the text, and which place is shown. */
export function useFound(text: string | undefined): Found {
  const { get } = useUrl()
  const words = get('find') ?? ''
  const wanted = Number(get('match')) || 1
  return useMemo(() => {
    const starts = placesOf(words, text ?? '')
    const at = Math.min(Math.max(1, wanted), starts.length) - 1
    const spans = starts.map((start, i) => ({
      unitId: i === at ? shownId : foundId,
      start,
      end: start + words.length,
    }))
    return { words, spans, at }
  }, [words, wanted, text])
}

export const isFound = (id: string) => id === foundId || id === shownId

/** The page of a PDF, from 1, that holds an offset of its text: a form feed ends each. */
export function pageAt(text: string, offset: number): number {
  let page = 1
  for (let at = text.indexOf('\f'); at >= 0 && at < offset; at = text.indexOf('\f', at + 1)) page += 1
  return page
}

/** What is looked for in a PDF: the page of the place that is shown, and which of its places that is, from 0. */
export function foundOnPage({ words, spans, at }: Found, text = '') {
  const span = spans[at]
  if (span === undefined) return { words, page: null, nth: 0 }
  const start = text.lastIndexOf('\f', span.start) + 1
  const before = spans.slice(0, at).filter((one) => one.start >= start)
  return { words, page: pageAt(text, span.start), nth: before.length }
}

export type FoundOnPage = ReturnType<typeof foundOnPage>
