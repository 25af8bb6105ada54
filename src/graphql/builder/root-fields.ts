import type { OutputRef } from '@pothos/core'
import { z } from 'zod'
import { hasPassed } from '../../domain/access/gate.ts'
import { invalidInput } from '../../domain/input/parse.ts'
import type { Services } from '../../domain/services.ts'
import { InvalidInputError, namespaceNotGranted, unauthorized } from '../../errors.ts'
import type { PageRange } from '../../model/page.ts'
import type { RootField } from '../../model/telemetry.ts'
import type { Operation } from '../../operations/operation.ts'
import { type OperationName, operations } from '../../operations/operations.ts'
import { builder, type GraphqlContext, servicesOf } from './builder.ts'
import { argsOf, argumentRules } from './inputs.ts'

/** What a resolver receives: `input`, or all arguments, as their rules read them. */
type Input<Name extends OperationName> = (typeof operations)[Name] extends { input: z.ZodType<infer Input> }
  ? Input
  : (typeof operations)[Name] extends { args: z.ZodType<infer Args> }
    ? Args
    : undefined

/** The type of a result; of a list, the type of its items in brackets. */
type ResultType = OutputRef | readonly [OutputRef]
type Result<Type> =
  Type extends OutputRef<infer R> ? R : Type extends readonly [OutputRef<infer R>] ? readonly R[] : never
type Resolve<From, By, Type> = (from: From, by: By) => Result<Type> | Promise<Result<Type>>

/** Adds the root field of an operation. Its resolver is one call of the domain. */
export const runs = <Name extends OperationName, Type extends ResultType>(
  name: Name,
  type: Type,
  resolve: Resolve<Input<Name>, Services, Type>,
): void => runsOpenly(name, type, (input, context) => resolve(input, servicesOf(context)))

/** The same where there may be no caller. */
export const runsOpenly = <Name extends OperationName, Type extends ResultType>(
  name: Name,
  type: Type,
  resolve: Resolve<Input<Name>, GraphqlContext, Type>,
): void => {
  const read = reader(name)
  addField(name, type, async (args, context) => resolve(read(args), context))
}

/** The same for a list that comes in pages. Where lists come whole, it is read without a range. */
export const pages = <Name extends OperationName, Type extends ResultType>(
  name: Name & ((typeof operations)[Name] extends { args: z.ZodType<PageRange> } ? Name : never),
  type: Type,
  list: Resolve<PageRange | undefined, Services, Type>,
): void =>
  runsOpenly(name, type, (page, context) =>
    list(context.wholeLists ? undefined : (page as unknown as PageRange), servicesOf(context)),
  )

/** Reads what is sent by the rules of the operation. The reader throws a 400 that names the first wrong field. */
function reader<Name extends OperationName>(name: Name): (args: object) => Input<Name> {
  const { input, nulls }: Operation = operations[name]
  const rules = argumentRules(name)
  const schema = rules && (nulls === 'kept' ? rules : z.preprocess(withoutNulls(nulls), rules))
  return (args) => {
    const read = schema?.safeParse(args)
    if (read?.success === false) {
      const { field, problem } = invalidInput(read.error)
      // The argument `input` is the whole body: REST sends it as the body.
      throw new InvalidInputError(field[0] === 'input' ? field.slice(1) : field, problem)
    }
    const found = read?.data as { input?: unknown } | undefined
    return (input ? found?.input : found) as Input<Name>
  }
}

type Act = (args: object, context: GraphqlContext) => Promise<unknown>

function addField(name: OperationName, type: ResultType, act: Act): void {
  const { kind, description, makesSecret }: Operation = operations[name]
  const run = ruled(name, act)
  const field: RootField = { type: kind === 'mutation' ? 'mutation' : 'query', name }
  define(name, kind, {
    ...{ type, description },
    resolve: (_: unknown, args: object, context: GraphqlContext) =>
      context.domain.telemetry.field(field, async () => {
        // The length of a compressed answer tells about a new secret in it. Any write may make one.
        if (kind === 'mutation' || makesSecret) context.keepPlain()
        return run(args, context)
      }),
  })
}

function define(name: OperationName, kind: Operation['kind'], field: object): void {
  const options = { args: argsOf(name), extensions: { operation: name }, ...field }
  root[`${kind}Field`](name, (t) => t.field(options))
}

/**
 * What holds for every root field, for REST and GraphQL. The context factory and the domain decide on authorisation; that there
 * is a caller is a coarse second check, before input is read.
 */
function ruled(name: OperationName, act: Act): Act {
  const { ofLog, open }: Operation = operations[name]
  return async (args, context) => {
    // The super-admin may use the log of a deleted namespace. The same error as for a name that never existed.
    if (!ofLog && context.session?.facts.isDeleted) throw namespaceNotGranted()
    // Each field has its own session, so that a check for another field of the request does not count.
    const session = context.session?.forOperation() ?? null
    try {
      if (session === null && open === undefined) throw unauthorized()
      const result = await act(args, { ...context, session })
      // Its author forgot to call the gate.
      if (session && !hasPassed(session, name)) throw new Error(`the operation ${name} did not pass the gate`)
      return result
    } catch (error) {
      if (session) await context.domain.refused(session, context.operation ?? name, error)
      throw error
    }
  }
}

/** Pothos does not know the types of these arguments. */
const root = builder as unknown as Record<`${Operation['kind']}Field`, AddField>
type AddField = (name: string, field: (t: { field(options: object): unknown }) => unknown) => void

/** Where null is a value: in metadata, and in conditions on Units, where it means that something is absent. */
const withValues = ['metadata', 'filter', 'filters']

/** Input where an explicit null means "not sent". */
function withoutNulls(nulls: Operation['nulls']): (value: unknown) => unknown {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip)
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
    const kept = Object.entries(value).filter(([, v]) => v !== null && v !== undefined)
    const isKept = (key: string) => nulls !== 'dropped' && withValues.includes(key)
    return Object.fromEntries(kept.map(([key, v]) => [key, isKept(key) ? v : strip(v)]))
  }
  return strip
}

/** Adds the subscription of an operation: each of the events that the domain sends is the value of the field. */
export const streams = <Name extends OperationName, Event>(
  name: Name,
  type: OutputRef<Event>,
  subscribe: (input: Input<Name>, services: Services) => AsyncIterable<NoInfer<Event>>,
): void => {
  const read = reader(name)
  const { description, asSubscription = description }: Operation = operations[name]
  const begin = ruled(name, async (args, context) => withErrorAsEvent(subscribe(read(args), servicesOf(context))))
  define(name, 'subscription', {
    ...{ type, description: asSubscription },
    subscribe: (_: unknown, args: object, context: GraphqlContext) => begin(args, context),
    resolve: (event: unknown) => {
      if (event instanceof EndedByError) throw event.error
      return event
    },
  })
}

/** An event that stands for the error that ended the events. */
class EndedByError {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** The events; an error becomes the last one, so that the reader receives it before the stream completes. */
function withErrorAsEvent<Event>(events: AsyncIterable<Event>): AsyncIterableIterator<Event | EndedByError> {
  const source = events[Symbol.asyncIterator]()
  return {
    next: () => source.next().catch((error) => ({ done: false, value: new EndedByError(error) })),
    // A generator would pass this on only with the next event.
    return: async () => {
      await source.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
