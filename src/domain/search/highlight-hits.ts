import type { Hit } from '../../model/search.ts'
import type { Passage, Passages } from '../../ports/indexes/passages.ts'
import { Slices } from '../../slices/slices.ts'
import type { Hydrated } from './hydrate.ts'

/** A longer text is cut to its best passage. UTF-8 bytes. */
const maxHitText = 16_384
const maxHighlights = 100

/** A hit with its Unit's whole text, for answers, and the part of it that the caller gets. */
export interface HighlightedHit {
  hit: Hit
  passage: Passage
}

/** Finds the parts of each hit that match the query. */
export async function highlightHits(
  passages: Passages,
  query: string,
  found: readonly Hydrated[],
): Promise<HighlightedHit[]> {
  const hits: HighlightedHit[] = []
  const slices = new Slices()
  for (const [i, { unit, score, explain }] of found.entries()) {
    const passage = await passages.find(query, unit, maxHitText)
    hits.push({
      hit: { ...unit, textStart: 0, score, explain, rank: i + 1, highlights: passage.highlights },
      passage,
    })
    if (slices.isOver) await slices.next()
  }
  return hits
}

/** The hit as the caller gets it: all hits together stay below 8 MiB, whatever the size of the Units. */
export function cutHit({ hit, passage: { start, end, highlights } }: HighlightedHit): Hit {
  return {
    ...hit,
    text: hit.text === null ? null : hit.text.slice(start, end),
    textStart: start,
    highlights: highlights
      .slice(0, maxHighlights)
      .map((highlight) => ({ start: highlight.start - start, end: highlight.end - start })),
  }
}
