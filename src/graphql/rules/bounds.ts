import { z } from 'zod'
import { laterRules } from '../../domain/input/checked-later.ts'

/** Rules in JSON Schema. */
export interface RuleSchema {
  properties?: Record<string, RuleSchema>
  items?: RuleSchema
  anyOf?: readonly RuleSchema[]
  oneOf?: readonly RuleSchema[]
  [keyword: string]: unknown
}

/** Minima, maxima, lengths, patterns and defaults, by their keywords in JSON Schema. */
export type Bounds = Record<string, unknown>

export const describeRules = (rules: z.ZodType): RuleSchema =>
  z.toJSONSchema(rules, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const later = laterRules(zodSchema)
      if (later) Object.assign(jsonSchema, describeRules(later))
    },
  }) as RuleSchema

/** The shapes that a value may have, without null. */
export function shapesOf(schema: RuleSchema): RuleSchema[] {
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
export function boundsOf(places: readonly RuleSchema[]): Bounds {
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
