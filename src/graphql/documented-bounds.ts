import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
} from 'graphql'
import { z } from 'zod'
import { laterRules } from '../domain/input/checked-later.ts'

type Input = GraphQLArgument | GraphQLInputField

/**
 * Documents the rules of root fields in the schema: descriptions name the bounds, and `extensions.bounds` of an
 * argument or input field has them as JSON Schema keywords. Startup fails if the arguments of a root field differ from
 * those in its rules.
 */
export function documentBounds(schema: GraphQLSchema): GraphQLSchema {
  const found = new Map<Input, RuleSchema[]>()

  function visit(inputs: readonly Input[], shapes: readonly RuleSchema[], place: string): void {
    const known = new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)))
    const unruled = inputs.find(({ name }) => !known.delete(name))
    const [unknown = unruled?.name] = known
    if (unknown !== undefined) throw new Error(`the rules of ${place} and its inputs differ in ${unknown}`)
    for (const input of inputs) {
      const schemas = shapes.flatMap(({ properties }) =>
        properties?.[input.name] ? shapesOf(properties[input.name] ?? {}) : [],
      )
      found.set(input, [...(found.get(input) ?? []), ...schemas])
      const type = getNamedType(input.type)
      if (!isInputObjectType(type)) continue
      const members = schemas.flatMap((one) => shapesOf(one.items ?? one))
      visit(Object.values(type.getFields()), members, type.name)
    }
  }

  for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (field.args.length > 0) visit(field.args, [describeRules(rulesOf(field))], field.name)
    }
  }
  for (const [input, schemas] of found) {
    const bounds = boundsOf(schemas)
    input.description = [input.description, ...boundsInWords(bounds)].join(' ')
    input.extensions = { ...input.extensions, bounds }
  }
  return schema
}

function rulesOf({ name, extensions }: GraphQLField<unknown, unknown>): z.ZodType {
  const { pothosOptions } = extensions as { pothosOptions?: { validate?: { schema?: unknown } } }
  const rules = pothosOptions?.validate?.schema
  if (!(rules instanceof z.ZodType)) throw new Error(`the arguments of the root field ${name} have no rules`)
  return rules
}

/** Rules in JSON Schema. */
interface RuleSchema {
  properties?: Record<string, RuleSchema>
  items?: RuleSchema
  anyOf?: readonly RuleSchema[]
  oneOf?: readonly RuleSchema[]
  [keyword: string]: unknown
}

/** Minima, maxima, lengths, patterns and defaults, by their keywords in JSON Schema. */
type Bounds = Record<string, unknown>

const describeRules = (rules: z.ZodType): RuleSchema =>
  z.toJSONSchema(rules, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const later = laterRules(zodSchema)
      if (later) Object.assign(jsonSchema, describeRules(later))
    },
  }) as RuleSchema

/** The shapes that a value may have, without null. */
function shapesOf(schema: RuleSchema): RuleSchema[] {
  const shapes = schema.anyOf ?? schema.oneOf
  return shapes ? shapes.flatMap(shapesOf) : schema.type === 'null' ? [] : [schema]
}

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
