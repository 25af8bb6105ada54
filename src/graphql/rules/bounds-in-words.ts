import type { Bounds } from './bounds.ts'

/** Bounds as sentences. */
export function boundsInWords(bounds: Bounds): string[] {
  const { pattern, default: byDefault, items } = bounds
  return [
    ...range(bounds.minimum, bounds.maximum, ''),
    ...range(bounds.minLength, bounds.maxLength, 'character'),
    ...range(bounds.minItems, bounds.maxItems, 'item'),
    ...range(bounds.minProperties, bounds.maxProperties, 'key'),
    ...(bounds.uniqueItems ? ['Without repetition.'] : []),
    ...(pattern === undefined ? [] : [`Pattern: \`${pattern}\`.`]),
    ...(isBounds(items) ? boundsInWords(items).map((sentence) => `Each item: ${lowerFirst(sentence)}`) : []),
    ...(byDefault === undefined
      ? []
      : [`Default: \`${typeof byDefault === 'string' ? byDefault : JSON.stringify(byDefault)}\`.`]),
  ]
}

function range(least: unknown, most: unknown, unit: string): string[] {
  const unitOf = (value: number) => (unit === '' ? '' : value === 1 ? ` ${unit}` : ` ${unit}s`)
  if (typeof least === 'number' && typeof most === 'number')
    return [`${written(least)} to ${written(most)}${unitOf(most)}.`]
  if (typeof least === 'number') return [`At least ${written(least)}${unitOf(least)}.`]
  return typeof most === 'number' ? [`At most ${written(most)}${unitOf(most)}.`] : []
}

const written = (value: number) => value.toLocaleString('en-US')
const isBounds = (value: unknown): value is Bounds => typeof value === 'object' && value !== null
const lowerFirst = (sentence: string) => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
