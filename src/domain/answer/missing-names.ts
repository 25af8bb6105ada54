import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import type { Evidence } from './evidence.ts'
import { namesIn } from './names.ts'
import type { SubQuestion } from './question.ts'

/** What a name of the question costs that no cited passage has in full, in the logarithm of the odds. */
const price = 0.7

/**
 * The confidence in sentences, less for each name of the question that none of their passages has in full: `Kate Ramsay`
 * is not any Kate. In other languages names are inflected, and transcripts mishear them.
 */
export function withoutNames(
  analysis: TextAnalysis,
  { isEnglish, text }: SubQuestion,
  sentences: readonly Evidence[],
  confidence: number,
): number {
  if (!isEnglish) return confidence
  const missing = namesIn(text, analysis.words(text)).filter(
    ({ terms }) =>
      !sentences.some(({ from, subject }) => terms.every((term) => from.speaksOf(term) || subject.terms.has(term))),
  )
  return 1 / (1 + ((1 - confidence) / confidence) * Math.exp(price * missing.length))
}
