import type { PDFPageProxy } from 'unpdf/pdfjs'
import type { Run } from './run.ts'

type Operators = Awaited<ReturnType<PDFPageProxy['getOperatorList']>>

/**
 * Puts the letters of ligatures in order. In a script from the right one glyph may stand for two letters (lam and alef);
 * the library turns a line around letter by letter, and those two with it. Words are compared with the page's glyphs.
 */
export function orderLigatures(runs: readonly Run[], operators: Operators, showText: number | undefined): Run[] {
  const words = turnedWords(operators, showText)
  if (words.size === 0) return [...runs]
  const right = (word: string) => words.get(word) ?? word
  return runs.map((run) => (run.rightToLeft ? { ...run, text: run.text.replace(/\S+/g, right) } : run))
}

/** Words as the library turns them around, with what they are; none that could be a word of its own. */
function turnedWords({ fnArray, argsArray }: Operators, showText: number | undefined): Map<string, string> {
  const turned = new Map<string, string>()
  const plain = new Set<string>()
  for (const word of glyphWords(fnArray, argsArray, showText)) {
    const right = word.toReversed().join('')
    const wrong = [...word.join('')].toReversed().join('')
    if (right === wrong) plain.add(right)
    else turned.set(wrong, right)
  }
  for (const word of plain) turned.delete(word)
  return turned
}

/** The glyphs of each word from the left to the right of the page. */
function* glyphWords(
  codes: readonly number[],
  args: readonly unknown[],
  showText: number | undefined,
): Generator<string[]> {
  for (const [i, code] of codes.entries()) {
    if (code !== showText) continue
    let word: string[] = []
    const glyphs = ((args[i] as unknown[] | undefined)?.[0] ?? []) as ({ unicode?: string } | number | null)[]
    for (const glyph of glyphs) {
      // Numbers are the space between two glyphs.
      const letters = typeof glyph === 'object' ? glyph?.unicode : undefined
      if (letters === undefined) continue
      if (letters.trim() !== '') word.push(letters)
      else {
        yield word
        word = []
      }
    }
    yield word
  }
}
