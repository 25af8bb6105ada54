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

function range(min: unknown, max: unknown, unit: string): string[] {
  const unitOf = (value: number) => (unit === '' ? '' : value === 1 ? ` ${unit}` : ` ${unit}s`)
  if (typeof min === 'number' && typeof max === 'number') return [`${written(min)} to ${written(max)}${unitOf(max)}.`]
  if (typeof min === 'number') return [`At least ${written(min)}${unitOf(min)}.`]
  return typeof max === 'number' ? [`At most ${written(max)}${unitOf(max)}.`] : []
}

const written = (value: number) => value.toLocaleString('en-US')
const isBounds = (value: unknown): value is Bounds => typeof value === 'object' && value !== null
const lowerFirst = (sentence: string) => `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`
