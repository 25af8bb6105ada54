import { renderPath } from '../../../src/errors.ts'

/** The schema of a request value, in JSON Schema terms, as far as bounds need it. */
export interface Node {
  type?: string
  enum?: readonly string[]
  items?: Node
  oneOf?: readonly Node[]
  properties?: Record<string, Node>
  [keyword: string]: unknown
}

/** A documented bound of a value in a request. */
export interface Bound {
  place: (string | number)[]
  keyword: string
  node: Node
}

const keywords = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'minProperties',
  'maxProperties',
  'default',
]

/** What every integer keeps to. */
const isOfType = (limit: unknown) => Math.abs(Number(limit)) === Number.MAX_SAFE_INTEGER

/** Every bound in the node and its descendants. */
export function boundsIn(node: Node, place: Bound['place'] = []): Bound[] {
  // Filters within filters, and those of a boost, are those of a search.
  if (place.some((one) => one === 'not' || one === 'filter') && place.length > 3) return []
  const own = keywords
    .filter((keyword) => keyword in node && !isOfType(node[keyword]))
    .map((keyword) => ({ place, keyword, node }))
  const members = Object.entries(node.properties ?? {}).flatMap(([name, member]) => boundsIn(member, [...place, name]))
  const forms = (node.oneOf ?? []).flatMap((form) => boundsIn(form, place))
  return [...own, ...forms, ...members, ...(node.items ? boundsIn(node.items, [...place, 0]) : [])]
}

export const titleOf = ({ place, keyword, node }: Bound) =>
  `${renderPath(place)} ${keyword} ${JSON.stringify(node[keyword])}`

interface Samples {
  good: string
  bad: readonly string[]
  /** The prefix of every valid string. */
  prefix?: string
}

const badPaths = ['a//b', 'a/../b', 'a b', '1/2/3/4/5/6/7/8/9']
/** Each pattern uses the first entry that fits it. */
const samples: readonly Samples[] = [
  { good: '*', bad: [...badPaths, '**'] },
  { good: 'a/b.c', bad: badPaths },
  { good: 'ab', bad: ['a', '-ab', 'aB'] },
  { good: 'a-1', bad: ['a_1', ''] },
  { good: 'aF'.repeat(32), bad: ['a', 'g'.repeat(64), 'a'.repeat(65)] },
  { good: 'a@b', bad: ['a', '@b', 'a@', 'a @b', 'a@b@c'], prefix: 'a@' },
  { good: 'de-CH', bad: ['d', 'de_CH', 'german-'] },
  { good: 'metadata.a', bad: ['metadata', 'secret', 'metadata.a..b'], prefix: 'metadata.' },
  { good: 'AACAPw==', bad: ['AAA', 'AACAPw=', '-ACAPw=='] },
  { good: 'payers:x', bad: ['nowhere', 'x'], prefix: 'payers:' },
]

function samplesFor(pattern: string): Samples {
  const regex = new RegExp(pattern, 'u')
  const found = samples.find(({ good, bad }) => regex.test(good) && bad.every((text) => !regex.test(text)))
  if (!found) throw new Error(`no samples for the pattern ${pattern}`)
  return found
}

export interface Values {
  inside: unknown
  outside: readonly unknown[]
}

/** Values just inside and just outside a bound; a default has no outside value. `item` makes the objects of a list. */
export function valuesAt({ keyword, node }: Bound, item?: (i: number) => unknown): Values {
  const limit = Number(node[keyword])
  const step = node.type === 'integer' ? 1 : 0.01
  const text = (length: number) => {
    const prefix = typeof node.pattern === 'string' ? (samplesFor(node.pattern).prefix ?? '') : ''
    return `${prefix}${'a'.repeat(Math.max(0, length - prefix.length))}`
  }
  const list = (length: number) => Array.from({ length }, (_, i) => memberOf(node.items ?? {}, i, item))
  const record = (length: number) => Object.fromEntries(list(length).map((_, i) => [`k${i}`, 'v']))
  if (keyword === 'minimum') return { inside: limit, outside: [limit - step] }
  if (keyword === 'maximum') return { inside: limit, outside: [limit + step] }
  if (keyword === 'minLength') return { inside: text(limit), outside: [text(limit - 1)] }
  if (keyword === 'maxLength') return { inside: text(limit), outside: [text(limit + 1)] }
  if (keyword === 'minItems') return { inside: list(limit), outside: [list(limit - 1)] }
  if (keyword === 'maxItems') return { inside: list(limit), outside: [list(limit + 1)] }
  if (keyword === 'uniqueItems') return { inside: list(2), outside: [[...list(1), ...list(1)]] }
  if (keyword === 'minProperties') return { inside: record(limit), outside: [record(limit - 1)] }
  if (keyword === 'maxProperties') return { inside: record(limit), outside: [record(limit + 1)] }
  if (keyword === 'default') return { inside: node.default, outside: [] }
  const { good, bad } = samplesFor(`${node.pattern}`)
  return { inside: good, outside: bad }
}

function memberOf({ type, enum: words }: Node, i: number, item: ((i: number) => unknown) | undefined): unknown {
  if (words) return words[i % words.length]
  if (type === 'number') return 0.5
  const made = item?.(i)
  if (type === 'string') return typeof made === 'string' ? made : `v${i}`
  if (!item) throw new Error('the list has objects: say how one is made')
  return made
}

/** A copy of a request with the value at the given path; missing objects and lists on the path are created. */
export function withValue(request: unknown, [first, ...rest]: Bound['place'], value: unknown): unknown {
  if (first === undefined) return value
  if (typeof first === 'number') {
    const list = Array.isArray(request) ? request : []
    return Object.assign([...list], { [first]: withValue(list[first], rest, value) })
  }
  const object = typeof request === 'object' && request !== null ? (request as Record<string, unknown>) : {}
  return { ...object, [first]: withValue(object[first], rest, value) }
}
