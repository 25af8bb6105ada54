import {
  type GraphQLAbstractType,
  type GraphQLArgument,
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
  isRequiredArgument,
} from 'graphql'
import { badRequest, InvalidInputError, renderPath } from '../../errors.ts'
import type { Auth, RequestFacts, SentKey } from '../../model/request.ts'
import { type Input, toArguments, toWireName, toWirePath } from './input.ts'

/** The GraphQL side, as the HTTP layer needs it. */
export interface GraphqlApi<Context> {
  schema: GraphQLSchema
  /** Finds out who is calling; throws ServiceError 401, 403 or 400. `auth` says whether a credential is required. */
  context(facts: RequestFacts, auth: Auth): Promise<Context>
  /** Runs a write. Under a key the answer is a text, perhaps of an earlier request; else it is what `act` returned. */
  write<T>(
    context: Context,
    sent: SentKey | null,
    act: () => Promise<T>,
    textOf: (value: T) => Promise<string | null>,
  ): Promise<{ value: T | undefined; text: string | null }>
}

/** The argument that is the whole body, or made of parameters: errors name its fields without a prefix. */
export const wholeBody = ''

/** How the wire calls a root field. */
export interface CallPlan {
  /** The root field, of a query or a mutation. */
  field: string
  /** The names of its arguments on the wire; it has no others there. One of them may be the whole body. */
  args: Readonly<Record<string, string>>
  /** What the answer shows of the result, in names of the wire. Without it, what answers show of its type. */
  answer?: string | undefined
}

/** A root field that is called from the wire. */
export interface Call {
  field: { description?: string | null | undefined; type: Parameters<typeof presenterOf>[1] }
  inputs: readonly Input[]
  shape: Shape | undefined
  isWrite: boolean
  /**
   * Calls the resolver of the root field, with all that stands around it, with values in wire names, and returns the
   * answer in wire names. `fromUrl` says that texts are parsed by type.
   */
  run(wire: Readonly<Record<string, unknown>>, context: unknown, fromUrl?: boolean): Promise<unknown>
}

/** Prepares a call, once. Throws for a plan that does not fit the schema. */
export function prepareCall(shown: Shown, plan: CallPlan): Call {
  const { schema } = shown
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()]
  const root = query?.getFields()[plan.field] ? query : mutation
  const { field, resolve, inputs, shape, present } = prepare(shown, root, plan)
  return {
    field,
    inputs,
    shape,
    isWrite: root === mutation,
    run: async (wire, context, fromUrl = false) => {
      const sent = toArguments(inputs, wire, fromUrl)
      try {
        const value: unknown = await resolve(undefined, sent, context)
        if (value instanceof Error) throw value
        return present(value)
      } catch (error) {
        throw withWireName(error, inputs)
      }
    },
  }
}

/** The events of a subscription, in wire names. Its errors are those of a call. */
export type Stream = (wire: Readonly<Record<string, unknown>>, context: unknown) => AsyncGenerator<unknown>

/** The same for a subscription. */
export function prepareStream(shown: Shown, plan: CallPlan): Stream {
  const { resolve, subscribe, inputs, present } = prepare(shown, shown.schema.getSubscriptionType(), plan)
  if (!subscribe) throw new Error(`${plan.field} is not a subscription`)
  return async function* (wire, context) {
    const sent = toArguments(inputs, wire, false)
    try {
      const events = (await subscribe(undefined, sent, context)) as AsyncIterable<unknown>
      for await (const event of events) yield present(await resolve(event, sent, context))
    } catch (error) {
      throw withWireName(error, inputs)
    }
  }
}

type Resolve = (source: unknown, args: object, context: unknown) => unknown

function prepare(shown: Shown, root: GraphQLObjectType | null | undefined, { field: name, args, answer }: CallPlan) {
  const field = root?.getFields()[name]
  if (!root || !field?.resolve) throw new Error(`${name} is not a root field with a resolver`)
  const inputs = Object.entries(args).map(([argument, wireName]) => inputOf(field.args, argument, wireName))
  const missing = field.args.find((one) => isRequiredArgument(one) && !Object.hasOwn(args, one.name))
  if (missing) throw new Error(`${name}: nothing gives the argument ${missing.name}`)
  const shape = answer === undefined ? undefined : readShape(answer)
  const present = presenterOf(shown, field.type, shape, `${root.name}.${name}`)
  // No document asks for the field: its resolver gets no fourth argument that describes one.
  const { resolve, subscribe } = field as unknown as { resolve: Resolve; subscribe?: Resolve }
  return { field, resolve, subscribe, inputs, shape, present }
}

function inputOf(known: readonly GraphQLArgument[], name: string, wireName: string): Input {
  const argument = known.find((one) => one.name === name)
  if (!argument) throw new Error(`there is no argument ${name}`)
  return { argument, wireName }
}

/** An invalid argument is reported by the name that a caller sent. */
function withWireName(error: unknown, inputs: readonly Input[]): unknown {
  if (!(error instanceof InvalidInputError)) return error
  const [first, ...rest] = error.field
  const input = inputs.find(({ argument }) => argument.name === first)
  if (!input) return error
  const place = input.wireName === wholeBody ? [] : [input.wireName]
  return new InvalidInputError([...place, ...rest], error.problem)
}

/** Domain validation uses GraphQL names; callers of the wire get wire names. */
export function inWireNames(error: unknown): unknown {
  if (!(error instanceof InvalidInputError) || error.field.length === 0) return error
  return badRequest(`${renderPath(toWirePath(error.field))}: ${error.problem}`)
}

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

interface ShownField {
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
type Present = (value: unknown) => unknown

/** Made once for each route. `place` names the field in errors. */
function presenterOf(shown: Shown, type: GraphQLOutputType, shape: Shape | undefined, place: string): Present {
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
