export const magnitudes: ReadonlySet<string> = new Set([
  ...['hundred', 'thousand', 'million', 'billion', 'trillion', 'dozen', 'square', 'cubic'],
])

export const currencySymbols: ReadonlyMap<string, string> = new Map([
  ['$', 'dollar'],
  ['€', 'euro'],
  ['£', 'pound'],
  ['¥', 'yen'],
  ['₹', 'rupee'],
  ['₽', 'rouble'],
  ['₩', 'won'],
])

/** Spellings of one unit; the first one is its name. Different units with the same number contradict each other. */
const units = new Map<string, string>(
  [
    'percent percents % per\u{a0}cent pct',
    'km kilometre kilometres kilometer kilometers',
    'mile miles mi',
    'm metre metres meter meters',
    'ft foot feet',
    'cm centimetre centimetres centimeter centimeters',
    'mm millimetre millimetres millimeter millimeters',
    'kg kilo kilos kilogram kilograms',
    'g gram grams',
    'mg milligram milligrams',
    'lb lbs',
    'tonne tonnes ton tons',
    'litre litres liter liters',
    'second seconds',
    'ms millisecond milliseconds',
    'minute minutes min',
    'hour hours',
    'day days',
    'week weeks',
    'month months',
    'year years',
    'thousand',
    'million',
    'billion',
    'trillion',
    'dollar dollars usd',
    'pound pounds gbp',
    'yen jpy',
    'euro euros eur',
    'c celsius',
    'f fahrenheit',
    'am',
    'pm',
    'kw kilowatt kilowatts',
    'mw megawatt megawatts',
    'v volt volts',
    'mb megabyte megabytes',
    'gb gigabyte gigabytes',
    'tb terabyte terabytes',
  ].flatMap((line) => line.split(' ').map((word) => [word, line.split(' ')[0] ?? ''] as const)),
)

/** The name of the unit for a folded word, `%` or `per cent`; null for any other. */
export const unitOf = (word: string): string | null => units.get(word) ?? null
