import type { Passage, Source } from '../../ports/answer-writer.ts'
import type { TextAnalysis } from '../../ports/text-analysis.ts'
import { sentences } from '../text/sentences.ts'

/** A sentence that an answer may quote. */
export interface Sentence extends Source {
  terms: ReadonlySet<string>
  /** Terms of the sentence before it, where that asks, heads or titles: this one goes on from it. */
  led: ReadonlySet<string>
  /** Terms of its whole passage. */
  around: ReadonlySet<string>
  /** Its passage's. */
  score: number
}

const asks = /[?？؟]["'”’)]*$/u
const closed = /[.!…。！।]["'”’)\]]*$/u
const headingWords = 8
const titleWords = 12

/** The sentences of the passages that say something: no questions, and no headings that something follows. */
export function quotable(analysis: TextAnalysis, passages: readonly Passage[]): Sentence[] {
  return passages.flatMap(({ text, score }, passage) => {
    const words = analysis.words(text)
    const around = new Set(words.map(({ term }) => term))
    const found: Sentence[] = []
    let led: ReadonlySet<string> = new Set()
    let at = 0
    const spans = sentences(text)
    for (const [i, { start, end }] of spans.entries()) {
      const quote = text.slice(start, end)
      const own: string[] = []
      for (; at < words.length && (words[at]?.start ?? 0) < end; at++) own.push(words[at]?.term ?? '')
      const terms = new Set(own)
      const isLead = asks.test(quote) || (own.length <= headingWords && !closed.test(quote) && i + 1 < spans.length)
      if (terms.size > 0 && !isLead) found.push({ passage, quote, start, terms, led, around, score })
      led = isLead || (i === 0 && own.length <= titleWords) ? terms : new Set()
    }
    return found
  })
}
