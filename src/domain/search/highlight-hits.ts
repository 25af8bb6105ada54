import type { Hit } from '../../model/search.ts'
import type { Passage, Passages } from '../../ports/passages.ts'
import { Slices } from '../../slices/slices.ts'
import type { Hydrated } from './hydrate.ts'

/** A longer text is cut to its best passage. Bytes of UTF-8. */
const maxHitText = 16_384
const maxHighlights = 100

/** A hit with its Unit's whole text, as answers read it; and the part of it that the caller gets. */
export interface HighlightedHit {
  hit: Hit
  passage: Passage
}

/** Finds what each hit says of the query. */
export async function highlightHits(
  passages: Passages,
  query: string,
  found: readonly Hydrated[],
): Promise<HighlightedHit[]> {
  const hits: HighlightedHit[] = []
  const slices = new Slices()
  for (const [i, { unit, score, explain }] of found.entries()) {
    const passage = await passages.find(query, unit.text ?? '', maxHitText)
    hits.push({
      hit: { ...unit, textStart: 0, score, explain, rank: i + 1, highlights: passage.highlights },
      passage,
    })
    if (slices.isOver) await slices.next()
  }
  return hits
}

/** The hit as the caller gets it: all of them together stay below 8 MiB, whatever the Units hold. */
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
