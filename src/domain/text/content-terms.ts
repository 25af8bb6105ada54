import type { Word } from '../../ports/indexes/text-analysis.ts'

/** The terms of a text's topic, in order; if a text has only stop words, those. */
export function contentTerms(words: readonly Word[]): string[] {
  const content = words.filter(({ stop }) => !stop)
  return (content.length > 0 ? content : words).map(({ term }) => term)
}
