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
