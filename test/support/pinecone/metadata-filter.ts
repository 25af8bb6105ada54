import { RefusalError } from './refusal.ts'

export type MetadataValue = string | number | boolean | string[]
export type RecordMetadata = Record<string, MetadataValue>

/** The maximum number of values in `$in` and `$nin`. */
const maxValues = 10_000

type Test = (metadata: RecordMetadata) => boolean

/**
 * Evaluates Pinecone's metadata filter language (https://docs.pinecone.io/guides/search/filter-by-metadata). Fields are
 * combined with "and". In a list of strings any element may match. Anything outside the language is an error.
 */
export function compileFilter(filter: unknown): Test {
  const tests = Object.entries(objectOf(filter)).map(([key, value]) => {
    if (key === '$and' || key === '$or') return combined(key, value)
    if (key.startsWith('$')) throw new RefusalError(400, `${key} is not an operator at this place`)
    return fieldTest(key, value)
  })
  if (tests.length === 0) throw new RefusalError(400, 'a filter must not be empty')
  return (metadata) => tests.every((test) => test(metadata))
}

function combined(operator: '$and' | '$or', value: unknown): Test {
  if (!Array.isArray(value) || value.length === 0) throw new RefusalError(400, `${operator} takes a list`)
  const tests = value.map(compileFilter)
  return operator === '$and'
    ? (metadata) => tests.every((test) => test(metadata))
    : (metadata) => tests.some((test) => test(metadata))
}

function fieldTest(field: string, condition: unknown): Test {
  const operations = typeof condition === 'object' && condition !== null ? condition : { $eq: condition }
  const tests = Object.entries(objectOf(operations)).map(([operator, operand]) => operatorTest(operator, operand))
  return (metadata) => {
    const value = Object.hasOwn(metadata, field) ? metadata[field] : undefined
    return tests.every((test) => test(value))
  }
}

function operatorTest(operator: string, operand: unknown): (value: MetadataValue | undefined) => boolean {
  const any = (value: MetadataValue | undefined, test: (v: string | number | boolean) => boolean) =>
    value !== undefined && (Array.isArray(value) ? value.some(test) : test(value))
  switch (operator) {
    case '$eq':
      scalar(operand)
      return (value) => any(value, (v) => v === operand)
    case '$ne':
      scalar(operand)
      return (value) => !any(value, (v) => v === operand)
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte': {
      if (typeof operand !== 'number') throw new RefusalError(400, `${operator} takes a number`)
      const compare = { $gt: gt, $gte: gte, $lt: lt, $lte: lte }[operator]
      return (value) => typeof value === 'number' && compare(value, operand)
    }
    case '$in':
    case '$nin': {
      if (!Array.isArray(operand) || operand.length > maxValues) {
        throw new RefusalError(400, `${operator} takes a list of at most ${maxValues} values`)
      }
      if (operand.some((v) => typeof v === 'boolean'))
        throw new RefusalError(400, `${operator} takes strings and numbers`)
      const wanted = new Set<unknown>(operand)
      return (value) => any(value, (v) => wanted.has(v)) === (operator === '$in')
    }
    case '$exists':
      if (typeof operand !== 'boolean') throw new RefusalError(400, '$exists takes a boolean')
      return (value) => (value !== undefined) === operand
    default:
      throw new RefusalError(400, `${operator} is not an operator`)
  }
}

const gt = (a: number, b: number) => a > b
const gte = (a: number, b: number) => a >= b
const lt = (a: number, b: number) => a < b
const lte = (a: number, b: number) => a <= b

function scalar(operand: unknown): void {
  if (!['string', 'number', 'boolean'].includes(typeof operand)) throw new RefusalError(400, 'takes one value')
}

function objectOf(value: unknown): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new RefusalError(400, 'a filter is an object')
}
