import type { Word } from '../../ports/text-analysis.ts'

/** The terms that say what a text is about, in its order; of one that holds nothing but stop words, those. */
export function contentTerms(words: readonly Word[]): string[] {
  const content = words.filter(({ stop }) => !stop)
  return (content.length > 0 ? content : words).map(({ term }) => term)
}
