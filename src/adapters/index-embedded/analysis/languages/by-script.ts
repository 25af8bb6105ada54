/** Scripts of one language, or of one language mainly; null if the letters are those of another one. */
const scripts: readonly { script: RegExp; languageOf: (text: string) => string | null }[] = [
  { script: /\p{Script=Greek}/gu, languageOf: () => 'el' },
  { script: /\p{Script=Devanagari}/gu, languageOf: () => 'hi' },
  { script: /\p{Script=Armenian}/gu, languageOf: () => 'hy' },
  { script: /\p{Script=Tamil}/gu, languageOf: () => 'ta' },
  // Persian, Urdu and Kurdish have letters that Arabic lacks.
  { script: /\p{Script=Arabic}/gu, languageOf: (text) => (/[پچژگکیٹڈڑںھہے]/u.test(text) ? null : 'ar') },
  // Ukrainian, Belarusian, Serbian and Macedonian have letters that Russian lacks.
  {
    script: /\p{Script=Cyrillic}/gu,
    languageOf: (text) => (/[іїєґўђјљњћџѓќѕ]/iu.test(text) || isBulgarian(text) ? null : 'ru'),
  },
]

/** Bulgarian lacks letters that every longer Russian text has. */
const isBulgarian = (text: string): boolean => text.length > 200 && !/[ыэё]/iu.test(text)

/** Letters that only Vietnamese has, as far as languages with Latin letters here go. */
const vietnamese = /[đơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/giu
const vietnameseShare = 0.1

const letters = /\p{L}/gu
const latin = /\p{Script=Latin}/gu
const count = (text: string, some: RegExp): number => text.match(some)?.length ?? 0
const share = (text: string, some: RegExp): number => count(text, some) / Math.max(1, count(text, letters))

const ascii = /^[^\u{80}-\u{10ffff}]*$/u
/** The beginning says which script it is. UTF-16 units. */
const readForScript = 300

/** Which part of the letters at a text's beginning is Latin, 0..1. */
export const latinShare = (text: string): number => {
  const start = text.slice(0, readForScript)
  return ascii.test(start) ? 1 : share(start, latin)
}

/** The language that the letters of a text alone show: ISO 639, or null. */
export function languageByScript(text: string): string | null {
  if (ascii.test(text)) return null
  const start = text.slice(0, readForScript)
  const half = count(start, letters) / 2
  const isLatin = count(start, latin) > half
  const found = isLatin ? undefined : scripts.find(({ script }) => count(start, script) > half)
  if (found !== undefined) return found.languageOf(text)
  return share(text.normalize('NFC'), vietnamese) > vietnameseShare ? 'vi' : null
}
