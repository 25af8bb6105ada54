import type { Draw } from '../../property/draw.ts'

/** Every character that a text may contain: all but NUL and halves of a pair. */
function* characters(): Generator<string> {
  for (let point = 1; point <= 0x10ffff; point++) {
    if (point < 0xd800 || point > 0xdfff) yield String.fromCodePoint(point)
  }
}

const kinds = {
  /** Forms of other characters: ligatures, widths, fractions, and words in one character such as ﷺ. */
  forms: (char: string) => char.normalize('NFKC') !== char,
  /** Those among them that stand for several words, or for more than letters. */
  phrases: (char: string) => /[^\p{L}\p{M}\p{N}]/u.test(char.normalize('NFKC')) && /\p{L}/u.test(char),
  letters: (char: string) => /\p{L}/u.test(char),
  marks: (char: string) => /\p{M}/u.test(char),
  numbers: (char: string) => /\p{N}/u.test(char),
  invisible: (char: string) => /[\p{Cf}\p{Cc}\p{Z}]/u.test(char),
  symbols: (char: string) => /[\p{S}\p{P}]/u.test(char),
  private: (char: string) => /\p{Co}/u.test(char),
  /** Noncharacters too. */
  unassigned: (char: string) => /\p{Cn}/u.test(char),
}
type Kind = keyof typeof kinds

/** All characters of each kind. */
function charactersByKind(): Record<Kind, readonly string[]> {
  const found = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []])) as unknown as Record<Kind, string[]>
  for (const char of characters()) {
    for (const kind of Object.keys(kinds) as Kind[]) if (kinds[kind](char)) found[kind].push(char)
  }
  return found
}

/** Tags that Units may have: languages with rules of their own, without, that nobody speaks, and none. */
const tags = [
  ...'ar ca cs da de el en es et eu fi fr ga hi hr hu hy id is it lt lv nl no pl pt ro ru sk sl sq sv ta tr vi'.split(
    ' ',
  ),
  ...'ja ko zh th fa ur he bn ka am uk sr-Latn az-Cyrl nb nn-NO de-CH-1996 zh-Hant-TW'.split(' '),
  ...'und mul zxx qaa xx abcdefgh sgn art-lojban en-x-priv'.split(' '),
]

/** Random texts of all characters, and language tags. */
export function createTexts() {
  const all = charactersByKind()

  /** Letters that stand next to each other in Unicode, as those of a script do. */
  const word = (draw: Draw): string => {
    const start = draw.upTo(all.letters.length - 1)
    const near = all.letters.slice(start, start + 30)
    return Array.from({ length: 1 + draw.upTo(7) }, () => draw.pick(near)).join('')
  }

  const piece = (draw: Draw): string => {
    if (draw.chance(50)) return word(draw)
    const kind = draw.pick(Object.keys(kinds) as Kind[])
    return Array.from({ length: 1 + draw.upTo(2) }, () => draw.pick(all[kind])).join('')
  }

  return {
    text: (draw: Draw): string =>
      Array.from(
        { length: 1 + draw.upTo(11) },
        () => piece(draw) + draw.pick(['', ' ', ' ', ' ', '\n\n', '-', "'s "]),
      ).join(''),
    /** Null for none. */
    language: (draw: Draw): string | null => (draw.chance(30) ? null : draw.pick(tags)),
  }
}
