import { ascii } from './ascii.ts'

/** Scripts of one language, or of one language mainly; null if the letters are those of another one. */
const scripts: readonly { script: RegExp; languageOf: (text: string) => string | null }[] = [
  { script: /\p{Script=Greek}/u, languageOf: () => 'el' },
  { script: /\p{Script=Devanagari}/u, languageOf: () => 'hi' },
  { script: /\p{Script=Armenian}/u, languageOf: () => 'hy' },
  { script: /\p{Script=Tamil}/u, languageOf: () => 'ta' },
  // Persian, Urdu and Kurdish have letters that Arabic lacks.
  { script: /\p{Script=Arabic}/u, languageOf: (text) => (/[پچژگکیٹڈڑںھہے]/u.test(text) ? null : 'ar') },
  // Ukrainian, Belarusian, Serbian and Macedonian have letters that Russian lacks.
  {
    script: /\p{Script=Cyrillic}/u,
    languageOf: (text) => (/[іїєґўђјљњћџѓќѕ]/iu.test(text) || isBulgarian(text) ? null : 'ru'),
  },
]

/** Bulgarian lacks letters that every longer Russian text has. */
const isBulgarian = (text: string): boolean => text.length > 200 && !/[ыэё]/iu.test(text)

/** Letters that only Vietnamese has, as far as languages with Latin letters here go. */
const vietnamese = /[đơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/giu
const vietnameseShare = 0.1

const letters = /\p{L}/gu
const count = (text: string, some: RegExp): number => text.match(some)?.length ?? 0

/** The beginning says which script it is. UTF-16 units. */
const readForScript = 300

/** What is counted: letters, Latin ones, and characters of each script. */
const counted = [/\p{L}/u, /\p{Script=Latin}/u, ...scripts.map(({ script }) => script)]
/** By code point, the positions in `counted`. Matching each character again takes several times as long. */
const known = new Map<number, readonly number[]>()
const cacheLimit = 20_000

function countersOf(letter: string): readonly number[] {
  const point = letter.codePointAt(0) ?? 0
  const found = known.get(point)
  if (found !== undefined) return found
  const made = counted.flatMap((pattern, i) => (pattern.test(letter) ? [i] : []))
  if (known.size >= cacheLimit) known.clear()
  known.set(point, made)
  return made
}

/** By position in `counted`. */
function countStart(text: string): number[] {
  const counts = counted.map(() => 0)
  for (const letter of text.slice(0, readForScript))
    for (const i of countersOf(letter)) counts[i] = (counts[i] ?? 0) + 1
  return counts
}

export interface Script {
  /** The language that the letters alone show: ISO 639, or null. */
  language: string | null
  /** Which part of the letters at the beginning is Latin, 0..1. */
  latin: number
}

export function scriptOf(text: string): Script {
  if (ascii.test(text)) return { language: null, latin: 1 }
  const [letterCount = 0, latinCount = 0, ...others] = countStart(text)
  const latin = latinCount / Math.max(1, letterCount)
  const found = latin > 0.5 ? undefined : scripts.find((_, i) => (others[i] ?? 0) > letterCount / 2)
  return { language: found === undefined ? vietnameseOrNull(text) : found.languageOf(text), latin }
}

function vietnameseOrNull(text: string): string | null {
  const composed = text.normalize('NFC')
  const own = count(composed, vietnamese)
  // Most texts have none, and counting all letters takes much longer.
  return own > 0 && own / count(composed, letters) > vietnameseShare ? 'vi' : null
}
