import {
  type GraphQLArgument,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isRequiredArgument,
} from 'graphql'
import { badRequest, InvalidInputError, renderPath } from '../../errors.ts'
import type { Auth, RequestFacts } from '../../model/request.ts'
import type { SentKey } from '../idempotency.ts'
import { type Input, toArguments, toWirePath } from './input.ts'
import { presenterOf, readShape, type Shape, type Shown } from './shape.ts'

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
  const { field, inputs, shape, present, info } = prepare(shown, root, plan)
  const { resolve } = field

  return {
    field,
    inputs,
    shape,
    isWrite: root === mutation,
    run: async (wire, context, fromUrl = false) => {
      const sent = toArguments(inputs, wire, fromUrl)
      try {
        const value: unknown = await resolve(undefined, sent, context, info)
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
  const { field, inputs, present, info } = prepare(shown, shown.schema.getSubscriptionType(), plan)
  const { subscribe, resolve } = field
  if (!subscribe) throw new Error(`${plan.field} is not a subscription`)
  return async function* (wire, context) {
    const sent = toArguments(inputs, wire, false)
    try {
      const events = (await subscribe(undefined, sent, context, info)) as AsyncIterable<unknown>
      for await (const event of events) yield present(await resolve(event, sent, context, info))
    } catch (error) {
      throw withWireName(error, inputs)
    }
  }
}

function prepare(shown: Shown, root: GraphQLObjectType | null | undefined, { field: name, args, answer }: CallPlan) {
  const field = root?.getFields()[name]
  if (!root || !field?.resolve) throw new Error(`${name} is not a root field with a resolver`)
  const inputs = Object.entries(args).map(([argument, wireName]) => inputOf(field.args, argument, wireName))
  const missing = field.args.find((one) => isRequiredArgument(one) && !Object.hasOwn(args, one.name))
  if (missing) throw new Error(`${name}: nothing gives the argument ${missing.name}`)
  const shape = answer === undefined ? undefined : readShape(answer)
  const present = presenterOf(shown, field.type, shape, `${root.name}.${name}`)
  // What plugins read of it. The rest describes a document, and there is none.
  const info = {
    fieldName: name,
    parentType: root,
    returnType: field.type,
    path: { prev: undefined, key: name, typename: root.name },
    schema: shown.schema,
  } as unknown as GraphQLResolveInfo
  return { field: { ...field, resolve: field.resolve }, inputs, shape, present, info }
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
