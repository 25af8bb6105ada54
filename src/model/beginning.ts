const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })

/** In which part of a text the end of its last sentence is looked for, in UTF-16 units. */
const reach = 2_000

/**
 * The first `max` UTF-16 units of a text, less what comes after the last whole sentence; without one, after the last word.
 * The rest of the text begins where it ends.
 */
export function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text
  const from = Math.max(0, max - reach)
  const piece = text.slice(from, max)
  const last = [...segmenter.segment(piece)].at(-1)?.index ?? 0
  const end = last > 0 ? last : piece.search(/\s\S*$/u) + 1
  if (end > 0) return text.slice(0, from + end)
  // Not between the halves of a character.
  return text.slice(0, /[\uD800-\uDBFF]$/u.test(piece) ? max - 1 : max)
}
