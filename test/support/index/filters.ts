import fc from 'fast-check'
import type { MetadataValue } from '../../../src/model/unit.ts'

/** Random filters as callers send them, random Units, and what a filter means, written once more and plainly. */

type Json = MetadataValue
export type Sent = { [name: string]: unknown }

/** Few are drawn often, so that filters and Units meet. */
const often = <T>(usual: readonly T[], odd: readonly T[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...usual) }, { weight: 1, arbitrary: fc.constantFrom(...odd) })

const key = often(['a', 'b'], ['a.b', 'k"', 'constructor', 'x%_', 'back\\slash', 'é'])
const texts = [
  ...['', 'A', 'b', '%', '_', 'a%b', 'a_b', '\\', '"', "';--", '__proto__', 'constructor', 'null', 'true'],
  ...['1', '01', 'É', 'E\u0301', '\u{1f600}', '\uff5e', 'a\nb', '2026-05-01', '2026-11', ' a', '["a","b"]'],
]
const numbers = [0, -0.5, 1.5, -3, 10, 1e-7, 5e-324, 2 ** 53 - 1, -(2 ** 53 - 1), 1 / 3]

const text = often(['a', 'ab'], texts)
const number = often([1, 2], numbers)
const scalar = fc.oneof(text, number, fc.boolean())

const value: fc.Arbitrary<Json> = fc.letrec<{ value: Json; object: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    fc.constantFrom<Json>(null, [], {}),
    fc.array(fc.oneof(scalar, fc.constant(null)), { maxLength: 3 }),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.dictionary(key, tie('value'), { minKeys: 2, maxKeys: 4 }),
})).object

/** At most five levels, as callers may send. */
const levels = (one: unknown): number =>
  typeof one === 'object' && one !== null ? 1 + Math.max(0, ...Object.values(one).map(levels)) : 0
export const metadata = fc.noBias(value.filter((one) => levels(one) <= 5)) as fc.Arbitrary<Record<string, Json>>

const bounds = (of: fc.Arbitrary<Json>) =>
  fc.record({ gt: of, gte: of, lt: of, lte: of }, { requiredKeys: [] }).filter((one) => Object.keys(one).length > 0)
const listOf = (of: fc.Arbitrary<Json>) => fc.array(of, { minLength: 1, maxLength: 3 })

const conditionOn = (of: fc.Arbitrary<Json>, ordered: fc.Arbitrary<Json>[], part: fc.Arbitrary<Json> | null) =>
  fc.oneof(
    fc.oneof(of, fc.constant(null)),
    listOf(fc.oneof({ weight: 5, arbitrary: of }, { weight: 1, arbitrary: fc.constant(null) })),
    fc.record({ eq: of }),
    fc.record({ ne: fc.oneof(of, fc.constant(null)) }),
    fc.record({ in: listOf(of) }),
    fc.record({ nin: listOf(fc.oneof(of, fc.constant(null))) }),
    fc.record({ exists: fc.boolean() }),
    fc.record({ all: listOf(of) }),
    ...ordered.map(bounds),
    ...(part ? [fc.record({ prefix: part }), fc.record({ contains: part }), fc.record({ ne: of, prefix: part })] : []),
  )

const inMetadata = conditionOn(scalar, [text, number], text)
const contains = fc.record({ contains: scalar })

const escaped = (key: string) => key.replace(/[.\\]/g, '\\$&')
export const path = fc
  .oneof({ weight: 3, arbitrary: fc.tuple(key) }, { weight: 2, arbitrary: fc.tuple(key, key) }, fc.tuple(key, key, key))
  .map((parts) => parts.map(escaped).join('.'))

const label = text.filter((one) => one !== '')
const time = fc.constantFrom(500, 1000, 1500, '1970-01-01T00:00:01Z', '1970-01-01T01:00:01.500+01:00')

const columns: fc.Arbitrary<Sent> = fc.oneof(
  fc.record({ docId: conditionOn(label, [label], label) }),
  fc.record({ mime: conditionOn(label, [label], label) }),
  fc.record({ aclOwner: conditionOn(label, [label], label) }),
  fc.record({ modality: fc.constantFrom<unknown>('text', ['ocr', 'text'], { ne: 'text' }, { prefix: 't' }) }),
  fc.record({ plane: fc.constantFrom<unknown>('text', { nin: ['text'] }, null) }),
  fc.record({ createdAt: conditionOn(time, [time], null) }),
  fc.record({ updatedAt: conditionOn(time, [time], null) }),
  fc.record({ createdAfter: time }),
  fc.record({ createdBefore: time }),
  fc.constantFrom({ timeRange: { tStartMs: 10, tEndMs: 20 } }, { timeRange: { tStartMs: 21, tEndMs: 30 } }),
)

const onPath = fc.oneof({ weight: 6, arbitrary: inMetadata }, { weight: 1, arbitrary: contains })
const leaf: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 5, arbitrary: fc.dictionary(path, onPath, { minKeys: 1, maxKeys: 1 }).map((metadata) => ({ metadata })) },
  { weight: 1, arbitrary: fc.dictionary(path, onPath, { minKeys: 2, maxKeys: 2 }).map((metadata) => ({ metadata })) },
  { weight: 2, arbitrary: columns },
)

/** In the names of GraphQL. */
export const sentFilter: fc.Arbitrary<Sent> = fc.noBias(
  fc.letrec<{ filter: Sent }>((tie) => ({
    filter: fc.oneof(
      { depthSize: 'small', withCrossShrink: true, maxDepth: 5 },
      { weight: 3, arbitrary: leaf },
      fc.record({ not: tie('filter') }),
      fc.record({ or: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ and: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }) }),
      fc.tuple(columns, fc.record({ not: tie('filter') })).map(([one, other]): Sent => ({ ...one, ...other })),
    ),
  })).filter,
)

export interface Described {
  modality: string
  plane: string
  docId: string | null
  mime: string | null
  acl: { owner: string }
  createdAt: number
  updatedAt: number
  locator: unknown
  metadata: Readonly<Record<string, Json>>
}

/** The columns of a Unit beside its metadata. */
export const columnsOfUnit = fc.record({
  modality: fc.constantFrom('text' as const, 'ocr' as const),
  docId: fc.oneof(label, fc.constant(null)),
  mime: fc.oneof(label, fc.constant(null)),
  locator: fc.constantFrom(
    null,
    { kind: 'time_range' as const, tStartMs: 5, tEndMs: 20 },
    { kind: 'line_range' as const, start: 1, end: 2 },
  ),
})

/** Whether a Unit meets a filter as it was sent. */
export function isMet(filter: Sent, unit: Described): boolean {
  return Object.entries(filter).every(([name, one]) => {
    switch (name) {
      case 'and':
        return (one as Sent[]).every((part) => isMet(part, unit))
      case 'or':
        return (one as Sent[]).some((part) => isMet(part, unit))
      case 'not':
        return !isMet(one as Sent, unit)
      case 'metadata':
        return Object.entries(one as Sent).every(([at, condition]) => isMetBy(condition, valueAt(unit.metadata, at)))
      case 'createdAfter':
        return unit.createdAt >= inMs(one)
      case 'createdBefore':
        return unit.createdAt <= inMs(one)
      case 'timeRange': {
        const [range, own] = [one, unit.locator] as { kind?: string; tStartMs: number; tEndMs: number }[]
        return (
          own?.kind === 'time_range' && own.tStartMs <= (range?.tEndMs ?? 0) && own.tEndMs >= (range?.tStartMs ?? 0)
        )
      }
      case 'createdAt':
      case 'updatedAt':
        return isMetBy(one, unit[name], inMs)
      default:
        return isMetBy(one, name === 'aclOwner' ? unit.acl.owner : unit[name as 'docId'])
    }
  })
}

const inMs = (time: unknown) => (typeof time === 'string' ? Date.parse(time) : Number(time))

export function valueAt(metadata: Json, path: string): Json | undefined {
  const parts = path.match(/(\\.|[^.])+/gsu) ?? []
  let found: Json | undefined = metadata
  for (const part of parts.map((one) => one.replace(/\\(.)/gsu, '$1'))) {
    const object: Record<string, Json> =
      typeof found === 'object' && !Array.isArray(found) ? ({ ...found } as Record<string, Json>) : {}
    found = Object.entries(object).find(([key]) => key === part)?.[1]
  }
  return found
}

function isMetBy(
  condition: unknown,
  held: Json | undefined,
  read: (sent: unknown) => unknown = (sent) => sent,
): boolean {
  const isAbsent = held === undefined || held === null
  const elements: readonly Json[] = Array.isArray(held) ? held : isAbsent ? [] : [held as Json]
  const has = (wanted: unknown) => (wanted === null ? isAbsent : elements.some((one) => one === read(wanted)))
  if (Array.isArray(condition)) return condition.some(has)
  if (typeof condition !== 'object' || condition === null) return has(condition)
  const { eq, ne, in: among, nin, exists, prefix, contains, all, ...range } = condition as Record<string, Json & Json[]>
  const isText = (one: Json): one is string => typeof one === 'string'
  const inRange = (one: Json) =>
    Object.entries(range).every(([operator, sent]) => {
      const bound = read(sent)
      if (typeof one !== typeof bound) return false
      const order = typeof one === 'number' ? Math.sign(one - Number(bound)) : byCodePoint(String(one), String(bound))
      return operator.startsWith('g')
        ? order > 0 || (operator === 'gte' && order === 0)
        : order < 0 || (operator === 'lte' && order === 0)
    })
  return (
    (eq === undefined || has(eq)) &&
    (ne === undefined || !has(ne)) &&
    (among === undefined || among.some(has)) &&
    (nin === undefined || !nin.some(has)) &&
    (exists === undefined || exists === !isAbsent) &&
    (prefix === undefined || elements.some((one) => isText(one) && one.startsWith(String(prefix)))) &&
    (contains === undefined ||
      (typeof held === 'string' && isText(contains) ? held.includes(contains) : has(contains))) &&
    (all === undefined || all.every(has)) &&
    (Object.keys(range).length === 0 || elements.some(inRange))
  )
}

export function byCodePoint(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => Buffer.from(text))
  return Buffer.compare(x ?? Buffer.alloc(0), y ?? Buffer.alloc(0))
}
