import type { Passage, Statement } from '../../ports/models/answer-writer.ts'
import { addressesIn } from '../text/addresses.ts'

const markup = /!?\[[^\]]{0,1000}\]\([^)]{0,1000}\)|<[a-z/!][^>]{0,1000}>/giu

/**
 * Drops statements with an address or markup that none of their passages contains. The other words may cover a sentence
 * so well that it counts as supported, and an address can leak the question. Pure quotes stay.
 */
export function withoutStrayLinks(statements: readonly Statement[], passages: readonly Passage[]): Statement[] {
  return statements.filter(({ text, sources }) => {
    if (sources.some(({ quote }) => quote === text)) return true
    const said = sources.map(({ passage }) => passages[passage]?.text ?? '')
    const known = said.flatMap(addressesIn)
    return (
      addressesIn(text).every((address) => known.includes(address)) &&
      (text.match(markup) ?? []).every((piece) => said.some((passage) => passage.includes(piece)))
    )
  })
}
