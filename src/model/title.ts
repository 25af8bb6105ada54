/** Separates the headings of a title, which is a path of headings. */
const separator = ' > '

/** A Unit's title and text, as they are ranked: neither is changed. */
export const titledText = ({ title, text }: { title: string | null; text: string | null }): string =>
  title === null ? (text ?? '') : `${title}\n\n${text ?? ''}`

/**
 * How many of the first words of a text repeat its title, or the last headings of it, in full: a ranking counts these
 * words once. `wordsOf` gives the words in the form that is compared.
 */
export function repeatedWords(
  title: string,
  text: readonly string[],
  wordsOf: (heading: string) => readonly string[],
): number {
  const headings = title.split(separator).map(wordsOf)
  for (let first = 0; first < headings.length; first++) {
    const path = headings.slice(first).flat()
    if (path.length > 0 && path.every((word, i) => text[i] === word)) return path.length
  }
  return 0
}

/** What can name a Unit. `text` may be its beginning alone. */
interface Named {
  unitId: string
  externalId: string | null
  docId: string | null
  title: string | null
  text: string | null
  metadata: Readonly<Record<string, unknown>>
}

const maxTitle = 80

/** One line that names a Unit: its title, else what else names it. */
export function titleOf({ unitId, externalId, docId, title, text, metadata }: Named): string {
  const own = typeof metadata.title === 'string' ? metadata.title : null
  const start = text === null ? null : [...text.slice(0, maxTitle * 2)].slice(0, maxTitle).join('')
  const lines = [title, own, docId, externalId, start].map((one) => oneLine(one ?? ''))
  return lines.find((line) => line !== '') ?? unitId
}

/** The same for a document, by its first Unit: the headings after the first one belong to that Unit alone. */
export const documentTitle = (first: Named): string =>
  titleOf({ ...first, title: first.title === null ? null : mainHeading(first.title) })

/** The first heading of a title: what the whole document is about. */
export const mainHeading = (title: string): string => headingsOf(title)[0] ?? ''

/** The headings of a title, outermost first. */
export const headingsOf = (title: string): string[] => title.split(separator)

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
