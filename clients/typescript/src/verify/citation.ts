import type { CitedAnswer } from '../answers.ts'
import { encode, sha256, toHex } from './bytes.ts'
import { bad, good, type Verdict, verdictOf } from './verdict.ts'

export type Citation = NonNullable<CitedAnswer['answer']>['citations'][number]

/** Is the quote of a citation at its place in the Unit's text, and is the text unchanged (SHA-256)? */
export function verifyCitation(citation: Citation, unitOrText: string | { text?: string | null }): Promise<Verdict> {
  return verdictOf(async () => {
    const text = typeof unitOrText === 'string' ? unitOrText : unitOrText.text
    if (typeof text !== 'string') return bad('the Unit has no text')
    if (toHex(await sha256(encode(text))) !== citation.sha256) return bad('the text has another SHA-256')
    if (text.slice(citation.start, citation.end) !== citation.quote)
      return bad('the quote is not at its place in the text')
    return good
  }, 'the citation')
}
