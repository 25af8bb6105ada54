const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'ten ten twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const irregular = new Map([
  ['one', 'first'],
  ['two', 'second'],
  ['three', 'third'],
  ['five', 'fifth'],
  ['eight', 'eighth'],
  ['nine', 'ninth'],
  ['twelve', 'twelfth'],
])
const written = /^(\d{1,4})(st|nd|rd|th|s)?$/u

/** How a number below ten thousand is said in English, including years, `19th` and `1990s`. Empty for anything else. */
export function spokenForms(word: string): string[] {
  const [, digits, ending] = written.exec(word) ?? []
  if (digits === undefined) return []
  const forms = spelled(Number(digits))
  if (ending === undefined) return forms
  return forms.map((form) => form.replace(/[a-z]+$/u, (last) => (ending === 's' ? plural(last) : ordinal(last))))
}

function spelled(n: number): string[] {
  if (n < 100) return [below100(n)]
  const [high, low] = [Math.floor(n / 100), n % 100]
  if (n < 1000) return joined(`${ones[high]} hundred`, low)
  const [thousands, rest] = [Math.floor(n / 1000), n % 1000]
  const counted =
    rest < 100
      ? joined(`${ones[thousands]} thousand`, rest)
      : joined(`${ones[thousands]} thousand ${ones[Math.floor(rest / 100)]} hundred`, low)
  if (high % 10 === 0) return counted
  const year = low === 0 ? `${below100(high)} hundred` : `${below100(high)} ${low < 10 ? 'oh ' : ''}${below100(low)}`
  return [...counted, year]
}

const joined = (high: string, low: number) =>
  low === 0 ? [high] : [`${high} ${below100(low)}`, `${high} and ${below100(low)}`]

function below100(n: number): string {
  if (n < 20) return ones[n] ?? ''
  return n % 10 === 0 ? (tens[n / 10] ?? '') : `${tens[Math.floor(n / 10)]} ${ones[n % 10]}`
}

const plural = (word: string) => (word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`)

const ordinal = (word: string) => irregular.get(word) ?? (word.endsWith('y') ? `${word.slice(0, -1)}ieth` : `${word}th`)

const cardinals = new Map([
  ...ones.map((word, i) => [word, i] as const),
  ...tens.slice(2).map((word, i) => [word, 20 + 10 * i] as const),
])

/** The number that an English word spells, below a hundred; null for any other word. */
export const cardinalOf = (word: string): number | null => cardinals.get(word) ?? null
