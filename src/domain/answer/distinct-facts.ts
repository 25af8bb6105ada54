import type { TextAnalysis, Word } from '../../ports/indexes/text-analysis.ts'
import { changesScope } from '../faithfulness/word-classes.ts'
import { contentTerms } from '../text/content-terms.ts'
import type { Sentence } from './candidates.ts'

/** What a sentence says, word by word. */
interface Said {
  /** Its content terms in order. */
  content: readonly string[]
  /** The words that negate, limit or hedge it, in order. */
  scope: string
}

/**
 * One sentence for each fact, best first: without those of which an earlier one has all content words in the same order,
 * and denies and limits the same. Another order, or one other word, may be another fact.
 */
export function distinctFacts<T extends Sentence>(analysis: TextAnalysis, sentences: readonly T[]): T[] {
  const kept: { sentence: T; said: Said }[] = []
  for (const sentence of sentences) {
    const said = saidIn(analysis, sentence.quote)
    if (!kept.some((earlier) => repeats(said, earlier.said))) kept.push({ sentence, said })
  }
  return kept.map(({ sentence }) => sentence)
}

function saidIn(analysis: TextAnalysis, quote: string): Said {
  const words = analysis.words(quote)
  // The analysis splits `don't` into `don` and `t`.
  const isScope = ({ word, term }: Word) => word === 't' || changesScope(word, term)
  return {
    content: contentTerms(words.filter((word) => !isScope(word))),
    scope: words
      .filter(isScope)
      .map(({ term }) => term)
      .join(' '),
  }
}

function repeats({ content, scope }: Said, earlier: Said): boolean {
  if (scope !== earlier.scope) return false
  let reached = 0
  for (const term of earlier.content) if (term === content[reached]) reached += 1
  return reached === content.length
}
