import type { Draw } from '../draw.ts'

/** JSON Schema, as openapi.json uses it. */
export interface Schema {
  $ref?: string
  type?: string
  enum?: readonly unknown[]
  oneOf?: readonly Schema[]
  properties?: Record<string, Schema>
  required?: readonly string[]
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  pattern?: string
  contentEncoding?: string
  additionalProperties?: unknown
  default?: unknown
}

export interface Source {
  draw: Draw
  /** Whether some values don't fit. */
  wild: boolean
  schemas: Readonly<Record<string, Schema>>
  /** Values of the world by the last part of a field's name: `scope`, `id`, `doc_id`. */
  known: Readonly<Record<string, readonly string[]>>
  /** How many named schemas are around the value: filters hold filters. */
  depth?: number
}

const hostile: readonly unknown[] = [
  ...[
    '',
    ' ',
    '\0',
    '\ud800',
    '\u202e\u0301',
    '__proto__',
    '../..',
    '%00',
    "'; DROP TABLE unit; --",
    '{"$ne":null}',
    '*',
  ],
  ...['é'.repeat(300), '💥'.repeat(5000), '-1', '1e999', 'null', 'https://127.0.0.1:1/', 'a/b/c/d/e/f/g/h/i/j'],
  ...[null, true, 0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, [], {}, [[]], [null], { a: { b: {} } }],
  ...[{ __proto__: null, constructor: {} }, { gte: 'a' }, { gte: 1, lte: 0 }, Array.from({ length: 1001 }, () => 'x')],
]

/** For each pattern of the document there is one. */
const patterned = ['en', 'events:1', 'metadata.tag']
const words = ['lamp', 'harbour', 'ferry', 'gull', 'tide', 'Leuchtturm', '灯台', '🌊', 'a-b_c.d', 'x']

/** A value for a schema: most fit it, some are at its bounds or just beyond, a few have nothing to do with it. */
export function drawValue(source: Source, schema: Schema, name = ''): unknown {
  const { draw, schemas, wild } = source
  const { $ref } = schema
  if ($ref) {
    const { depth = 0 } = source
    if (depth > 3) return {}
    return drawValue({ ...source, depth: depth + 1 }, schemas[$ref.split('/').at(-1) ?? ''] ?? {}, name)
  }
  if (wild && draw.chance(4)) return draw.pick(hostile)
  if (schema.enum) return draw.pick(schema.enum)
  if (schema.oneOf) return drawValue(source, draw.pick(schema.oneOf), name)
  switch (schema.type) {
    case 'object':
      return drawObject(source, schema)
    case 'array':
      return drawArray(source, schema, name)
    case 'string':
      return drawString(source, schema, name)
    case 'integer':
      return Math.trunc(drawNumber(source, schema))
    case 'number':
      return drawNumber(source, schema)
    case 'boolean':
      return draw.chance(50)
    default:
      return draw.pick<unknown>([{ tag: 'a' }, { tag: ['a', 'b'] }, { n: { gte: 1, lte: 5 } }, {}])
  }
}

function drawObject(
  source: Source,
  { properties = {}, required = [], additionalProperties }: Schema,
): Record<string, unknown> {
  const { draw, wild } = source
  const value: Record<string, unknown> = {}
  const share = draw.pick([5, 20, 60])
  for (const [key, schema] of Object.entries(properties)) {
    // A Unit needs content, and a vector fits few others.
    const wanted = key === 'text' ? 80 : key.startsWith('vector') ? 5 : share
    const isTaken = required.includes(key) ? !(wild && draw.chance(3)) : draw.chance(wanted)
    if (isTaken) value[key] = drawValue(source, schema, key)
  }
  if (wild && draw.chance(5))
    value[draw.pick(['unknown_field', '__proto__', 'constructor', '', 'Q'])] = draw.pick(hostile)
  if (Object.keys(properties).length === 0 && (wild || additionalProperties !== false))
    value[draw.pick(['tag', 'n', 'title'])] = draw.pick<unknown>(['a', 1, true, null])
  return value
}

function drawArray(
  source: Source,
  { items = {}, minItems = 0, maxItems = 4, uniqueItems }: Schema,
  name: string,
): unknown[] {
  const { draw, wild } = source
  const usual = minItems + draw.upTo(3)
  // Longer lists only where that is cheap.
  const length = wild && draw.chance(4) && maxItems <= 100 ? maxItems + draw.upTo(1) : Math.min(usual, maxItems)
  const values = Array.from({ length }, () => drawValue(source, items, name))
  return uniqueItems ? [...new Set(values)] : values
}

function drawString({ draw, known, wild }: Source, schema: Schema, name: string): string {
  const { minLength = 0, maxLength = 40, contentEncoding, pattern } = schema
  const ofWorld = known[name] ?? known[name.split('_').at(-1) ?? ''] ?? []
  if (ofWorld.length > 0 && draw.chance(75)) return draw.pick(ofWorld)
  if (contentEncoding === 'base64')
    return Buffer.from(new Float32Array([1, draw.upTo(9), 0.5]).buffer).toString('base64')
  if (wild && draw.chance(4) && maxLength <= 10_000) return 'x'.repeat(maxLength + draw.upTo(1))
  if (wild && draw.chance(4) && minLength > 0) return 'x'.repeat(minLength - draw.upTo(1))
  if (pattern !== undefined) return draw.pick([...words, ...patterned].filter((word) => new RegExp(pattern).test(word)))
  return draw.some(words, 3).join(' ').slice(0, maxLength) || 'word'
}

function drawNumber({ draw, wild }: Source, { minimum = 0, maximum = 1000 }: Schema): number {
  if (wild && draw.chance(8)) return draw.pick([minimum, maximum, minimum - 1, maximum + 1])
  if (maximum - minimum <= 1) return minimum + ((maximum - minimum) * draw.upTo(10)) / 10
  return minimum + draw.upTo(Math.floor(Math.min(maximum - minimum, 12)))
}
