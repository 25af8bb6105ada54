import {
  type GraphQLAbstractType,
  type GraphQLField,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { toWireName } from './input.ts'

/** What an answer shows of a type: names of the wire, each with what it shows in turn. A union shows types. */
export type Shape = ReadonlyMap<string, Shape | undefined>

/** Reads `units { unit_id status? } seq`: a name with `?` is left out of the answer where there is no value. */
export function readShape(text: string): Shape {
  const tokens = text.match(/[{}]|\w+\??/g) ?? []
  let at = 0
  const read = (): Shape => {
    const shape = new Map<string, Shape | undefined>()
    for (let name = tokens[at]; name !== undefined && name !== '}'; name = tokens[at]) {
      at += 1
      if (tokens[at] !== '{') shape.set(name, undefined)
      else {
        at += 1
        shape.set(name, read())
        at += 1
      }
    }
    return shape
  }
  return read()
}

/** The schema, and what answers show of its types unless they say otherwise. */
export interface Shown {
  schema: GraphQLSchema
  shapes: Readonly<Record<string, string>>
}

export interface ShownField {
  /** The name in the answer. */
  key: string
  /** Null is left out. */
  isOptional: boolean
  field: GraphQLField<unknown, unknown>
  shape: Shape | undefined
}

/** What an answer shows of an object, in order. Throws for a name that the type does not have. */
export function fieldsOf({ shapes }: Shown, type: GraphQLObjectType, shape: Shape | undefined): ShownField[] {
  const byName = new Map(Object.values(type.getFields()).map((field) => [toWireName(field.name), field]))
  return [...shapeOf(shapes, type.name, shape)].map(([name, below]) => {
    const isOptional = name.endsWith('?')
    const key = isOptional ? name.slice(0, -1) : name
    const field = byName.get(key)
    if (!field) throw new Error(`an answer shows ${type.name}.${key}, which is not a declared field`)
    if (below && isLeafType(getNamedType(field.type))) throw new Error(`${type.name}.${key} has no fields`)
    return { key, isOptional, field, shape: below }
  })
}

/** The types of a union that an answer shows, in order. */
export function typesOf({ schema, shapes }: Shown, type: GraphQLAbstractType, shape: Shape | undefined) {
  const possible = schema.getPossibleTypes(type)
  return [...shapeOf(shapes, type.name, shape)].map(([name, below]) => {
    const member = possible.find((one) => one.name === name)
    if (!member) throw new Error(`an answer shows ${name} as a ${type.name}`)
    return { type: member, shape: below }
  })
}

function shapeOf(shapes: Shown['shapes'], name: string, own: Shape | undefined): Shape {
  if (own) return own
  const shared = shapes[name]
  if (shared === undefined) throw new Error(`an answer does not say what it shows of ${name}`)
  return readShape(shared)
}

/** Turns what a resolver returned into what the answer shows of it. Throws for a value that does not fit its type. */
export type Present = (value: unknown) => unknown

/** Made once for each route. `place` names the field in errors. */
export function presenterOf(shown: Shown, type: GraphQLOutputType, shape: Shape | undefined, place: string): Present {
  if (!isNonNullType(type)) {
    const present = presenterOfValues(shown, type, shape, place)
    return (value) => (value === null || value === undefined ? null : present(value))
  }
  const present = presenterOfValues(shown, type.ofType, shape, place)
  return (value) => {
    if (value === null || value === undefined) throw new Error(`Cannot return null for non-nullable field ${place}.`)
    return present(value)
  }
}

/** For values that are not null. */
function presenterOfValues(shown: Shown, type: GraphQLOutputType, shape: Shape | undefined, place: string): Present {
  if (isListType(type)) return listOf(presenterOf(shown, type.ofType, shape, place), place)
  if (isLeafType(type)) return leaf(type, place)
  if (isObjectType(type)) return objectOf(shown, type, shape, place)
  if (isNonNullType(type)) throw new Error(`${place}: non-null twice`)
  return oneOf(shown, type, shape, place)
}

function leaf(type: GraphQLLeafType, place: string): Present {
  return (value) => {
    if (value instanceof Promise) throw new Error(`${place}: the value is a promise`)
    const written = type.coerceOutputValue(value)
    if (written === null || written === undefined) throw new Error(`${place}: ${type.name} has no form of this value`)
    return written
  }
}

function listOf(item: Present, place: string): Present {
  return (value) => {
    if (!isList(value)) throw new Error(`${place}: the value is not a list`)
    const items: unknown[] = []
    for (const one of value) items.push(item(one))
    return items
  }
}

const isList = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value

function objectOf(shown: Shown, type: GraphQLObjectType, shape: Shape | undefined, place: string): Present {
  const fields = fieldsOf(shown, type, shape).map((one) => ({ ...one, read: readerOf(shown, type, one) }))
  return (value) => {
    if (!isPlain(value)) throw new Error(`${place}: the value is not an object`)
    const result: Record<string, unknown> = {}
    for (const { key, isOptional, read } of fields) {
      const shownValue = read(value)
      if (!isOptional || shownValue !== null) result[key] = shownValue
    }
    return result
  }
}

type Source = Readonly<Record<string, unknown>>

const isPlain = (value: unknown): value is Source =>
  typeof value === 'object' && value !== null && !(value instanceof Promise || value instanceof Error)

/** Reads one field of an object. Below the root, fields are properties, or made of their object alone. */
function readerOf(
  shown: Shown,
  { name: typeName }: GraphQLObjectType,
  { field: { name, resolve, args, type }, shape }: ShownField,
): (source: Source) => unknown {
  const place = `${typeName}.${name}`
  const present = presenterOf(shown, type, shape, place)
  if (!resolve) return (source) => present(source[name])
  if (resolve.length > 1 || args.length > 0) throw new Error(`${place}: needs more than its object`)
  const resolveAlone = resolve as (source: unknown) => unknown
  return (source) => present(resolveAlone(source))
}

/** A value of one of several types. */
function oneOf(shown: Shown, type: GraphQLAbstractType, shape: Shape | undefined, place: string): Present {
  if (!type.resolveType) throw new Error(`${type.name}: no resolveType`)
  const typeOf = type.resolveType as (value: unknown) => unknown
  const presenters = new Map(
    typesOf(shown, type, shape).map((one) => [one.type.name, objectOf(shown, one.type, one.shape, place)]),
  )
  return (value) => {
    const present = presenters.get(`${typeOf(value)}`)
    if (!present) throw new Error(`${place}: the value is not a ${type.name}`)
    return present(value)
  }
}
