import type { InputFieldMap } from '@pothos/core'
import { z } from 'zod'
import { laterRules } from '../../domain/input/parse.ts'
import type { Operation } from '../../operations/operation.ts'
import { type OperationName, operations } from '../../operations/operations.ts'
import { builder } from './builder.ts'
import { enumOf } from './types.ts'

/**
 * The inputs of GraphQL follow from the rules of the operations: their types, whether they are required, and their descriptions,
 * which name the bounds. `extensions.bounds` of an argument or input field has the bounds as JSON Schema keywords, and
 * `extensions.text` what a condition on a column is as a text.
 */

/** Rules in JSON Schema, with what zod's `.meta` adds for GraphQL. */
interface RuleSchema {
  properties?: Record<string, RuleSchema>
  required?: readonly string[]
  type?: string | readonly string[]
  items?: RuleSchema
  anyOf?: readonly RuleSchema[]
  oneOf?: readonly RuleSchema[]
  description?: string
  /** The name of an object's type. It is the same in every place, and its rules may differ. */
  title?: string
  /** What the type is. The description says what it is in its place. */
  about?: string
  enum?: readonly string[]
  /** The type of what JSON Schema does not know, or knows in another range. */
  scalar?: 'Int' | 'Vector' | 'Bytes' | 'JSON' | 'Metadata' | 'Condition' | 'Time'
  /** Of a condition: a value that it compares with, as a parameter of a URL has it. */
  text?: RuleSchema
  /** The schema itself has the default, and not its description alone. */
  showsDefault?: boolean
  [keyword: string]: unknown
}

/** The rules of all arguments of an operation; undefined if it has none. */
export function argumentRules(name: OperationName): z.ZodType | undefined {
  const { input, args }: Operation = operations[name]
  return input ? z.strictObject({ input }) : args
}

/** The arguments of the root field of an operation. */
export function argsOf(name: OperationName): InputFieldMap {
  const rules = argumentRules(name)
  return rules ? builder.args((t) => fieldsOf(t, [describeRules(rules)])) : {}
}

const describeRules = (rules: z.ZodType): RuleSchema =>
  z.toJSONSchema(rules, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const later = laterRules(zodSchema)
      if (later) Object.assign(jsonSchema, describeRules(later))
    },
  }) as RuleSchema

/** The shapes that a value may have, without null. Those of a union have its name. */
function shapesOf(schema: RuleSchema): RuleSchema[] {
  const { anyOf: shapes = schema.oneOf, title, about } = schema
  if (shapes) return shapes.flatMap((shape) => shapesOf({ title, about, ...shape }))
  const types = [schema.type].flat().filter((type) => type !== 'null')
  return types.map((type) => ({ ...schema, type }))
}

/** The shapes of each named object, in all places where an operation takes it. */
const places = new Map<string, RuleSchema[]>()
for (const name of Object.keys(operations)) {
  const rules = argumentRules(name as OperationName)
  if (rules) collect(describeRules(rules))
}

function collect({ properties }: RuleSchema): void {
  const values = Object.values(properties ?? {}).flatMap(shapesOf)
  for (const shape of values.flatMap((one) => (one.items ? shapesOf(one.items) : [one]))) {
    if (shape.title === undefined) continue
    places.set(shape.title, [...(places.get(shape.title) ?? []), shape])
    collect(shape)
  }
}

/** The fields of an object that has one of these shapes. */
function fieldsOf(t: Fields, shapes: readonly RuleSchema[]): InputFieldMap {
  const names = new Set(shapes.flatMap(({ properties }) => Object.keys(properties ?? {})))
  const field = (name: string) => {
    const values = shapes.flatMap<RuleSchema>(({ properties }) => properties?.[name] ?? [])
    const forms = values.flatMap(shapesOf)
    const bounds = boundsOf(forms)
    const { description, showsDefault, text } = { ...forms[0], ...values[0] }
    return t.field({
      type: typeOf(forms, t),
      required: shapes.every(({ required = [] }) => required.includes(name)),
      description: [description, ...boundsInWords(bounds)].join(' '),
      ...(showsDefault && { defaultValue: bounds.default }),
      extensions: { bounds, ...(text && { text }) },
    })
  }
  return Object.fromEntries([...names].map((name) => [name, field(name)]))
}

/** Pothos knows the types of fields that are written down, not of these. */
interface Fields {
  listRef(type: unknown): unknown
  field(options: object): InputFieldMap[string]
}

/** The type of a value that has one of these shapes. */
function typeOf(shapes: readonly RuleSchema[], t: Pick<Fields, 'listRef'>): unknown {
  const [{ items, title, scalar, type, maximum } = {}] = shapes
  if (scalar) return scalar
  if (items) {
    const item = typeOf(shapesOf(items), t)
    return Array.isArray(item) ? t.listRef(t.listRef(item[0])) : [item]
  }
  if (title !== undefined) return objectOf(title)
  const values = shapes.flatMap((shape) => shape.enum ?? (typeof shape.const === 'string' ? [shape.const] : []))
  if (values.length > 0) return enumOf([...new Set(values)])
  if (type === 'integer') return Number(maximum) < 2 ** 31 ? 'Int' : 'SafeInt'
  const name = { string: 'String', number: 'Float', boolean: 'Boolean' }[type as string]
  if (!name) throw new Error(`an input of the type ${type} needs the name of a scalar`)
  return name
}

const objects = new Map<string, unknown>()

function objectOf(title: string): unknown {
  const shapes = places.get(title) ?? []
  const known = objects.get(title)
  if (known) return known
  const type = builder.inputRef(title).implement({
    description: shapes[0]?.about ?? '',
    fields: (t) => fieldsOf(t as unknown as Fields, shapes),
  })
  objects.set(title, type)
  return type
}

/** Minima, maxima, lengths, patterns and defaults, by their keywords in JSON Schema. */
type Bounds = Record<string, unknown>

/** How to combine bounds that each apply in one place: the widest one, or none if a place has none. */
const widest: Record<string, 'least' | 'most' | 'same'> = {
  minimum: 'least',
  maximum: 'most',
  minLength: 'least',
  maxLength: 'most',
  pattern: 'same',
  minItems: 'least',
  maxItems: 'most',
  uniqueItems: 'same',
  minProperties: 'least',
  maxProperties: 'most',
  default: 'same',
}

/** The bounds that apply in every place where a value is used, each place with its own rules. */
function boundsOf(places: readonly RuleSchema[]): Bounds {
  const bounds: Bounds = {}
  for (const [keyword, rule] of Object.entries(widest)) {
    const values = places.map((place) => place[keyword])
    const numbers = values.filter((value) => typeof value === 'number')
    const value =
      numbers.length < values.length || rule === 'same'
        ? agreed(values)
        : Math[rule === 'least' ? 'min' : 'max'](...numbers)
    if (isBound(value)) bounds[keyword] = value
  }
  const items = places.flatMap((place) => (place.items ? shapesOf(place.items) : []))
  const ofItems = items.length > 0 ? boundsOf(items) : {}
  return Object.keys(ofItems).length > 0 ? { ...bounds, items: ofItems } : bounds
}

const agreed = ([first, ...rest]: readonly unknown[]): unknown =>
  rest.every((value) => value === first) ? first : undefined

/** Every integer here is safe, and a missing object equals one without fields: neither adds information. */
const isBound = (value: unknown): boolean =>
  value !== undefined &&
  Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER &&
  (typeof value !== 'object' || Array.isArray(value))

/** Bounds as sentences. */
function boundsInWords(bounds: Bounds): string[] {
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
