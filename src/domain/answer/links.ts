import type { Passage, Statement } from '../../ports/answer-writer.ts'

/** Addresses, as a reader's client would make links or load images of them. */
const addresses = /\b[a-z][a-z0-9+.-]*:\/\/[^\s<>()[\]"'`]+|\bwww\.[^\s<>()[\]"'`]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/giu
const markup = /!?\[[^\]]*\]\([^)]*\)|<[a-z/!][^>]*>/iu
const trailing = /[.,;:!?]+$/u

/**
 * Drops statements with an address that none of their passages holds, and with markup that none holds: words beside it
 * may cover a sentence so well that it counts as supported, and an address can carry off what was asked.
 */
export function withoutStrayLinks(statements: readonly Statement[], passages: readonly Passage[]): Statement[] {
  return statements.filter(({ text, sources }) => {
    const said = sources.map(({ passage }) => passages[passage]?.text ?? '')
    const holds = (piece: string) => said.some((passage) => passage.includes(piece))
    const found = [...(text.match(addresses) ?? [])].map((address) => address.replace(trailing, ''))
    const marked = markup.exec(text)?.[0]
    return found.every(holds) && (marked === undefined || holds(marked))
  })
}
