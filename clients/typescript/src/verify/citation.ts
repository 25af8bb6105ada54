import type { CitedAnswer } from '../answers.ts'
import { encode, sha256, toHex } from './bytes.ts'
import { bad, good, type Verdict, verdictOf } from './verdict.ts'

export type Citation = NonNullable<CitedAnswer['answer']>['citations'][number]

export interface CitedUnit {
  unit_id?: string
  text?: string | null
}

/** Is the citation of this Unit, its quote at its place in the text, and the text unchanged (SHA-256)? */
export function verifyCitation(citation: Citation, unitOrText: string | CitedUnit): Promise<Verdict> {
  return verdictOf(async () => {
    const unit: CitedUnit = typeof unitOrText === 'string' ? { text: unitOrText } : unitOrText
    if (unit.unit_id !== undefined && unit.unit_id !== citation.unit_id) return bad('the citation is of another Unit')
    const { text } = unit
    if (typeof text !== 'string') return bad('the Unit has no text')
    if (toHex(await sha256(encode(text))) !== citation.sha256) return bad('the text has another SHA-256')
    const { start, end } = citation
    // A negative place would count from the end of the text.
    if (!(start >= 0 && end <= text.length) || text.slice(start, end) !== citation.quote)
      return bad('the quote is not at its place in the text')
    return good
  }, 'the citation')
}
