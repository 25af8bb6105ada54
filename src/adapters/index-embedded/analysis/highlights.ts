import type { Highlight } from '../../../ports/text-index.ts'
import { analyse } from './analyse.ts'
import { queryTerms } from './query-terms.ts'
import { stem } from './stem.ts'
import { stopWords } from './stop-words.ts'

/** Where words of the query stand in the text: ascending, never overlapping. */
export function highlights(query: string, text: string): Highlight[] {
  const { field, words } = queryTerms(query)
  const found: Highlight[] = []
  for (const { word, start, end } of analyse(text)) {
    const stop = stopWords.has(word)
    if (stop !== (field === 'stop') || !words.has(stop ? word : stem(word))) continue
    const previous = found.at(-1)
    // One character can fold to several words (`½` to 1 and 2), which then share a span.
    if (previous !== undefined && start < previous.end) previous.end = Math.max(previous.end, end)
    else found.push({ start, end })
  }
  return found
}
