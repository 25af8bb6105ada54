import type { InputFieldMap } from '@pothos/core'
import { z } from 'zod'
import type { Services } from '../../domain/services.ts'
import type { PageRange } from '../../model/page.ts'
import type { Operation } from '../../operations/operation.ts'
import { type OperationName, operations } from '../../operations/operations.ts'
import { type GraphqlContext, servicesOf } from './context.ts'
import { argsOf, argumentRules } from './inputs.ts'

/** What a resolver receives: `input`, or all arguments, as their rules read them. */
type Input<Name extends OperationName> = (typeof operations)[Name] extends { input: z.ZodType<infer Input> }
  ? Input
  : (typeof operations)[Name] extends { args: z.ZodType<infer Args> }
    ? Args
    : undefined

/** What the definition of an operation says of its root field. Pothos does not know the types of validated arguments. */
interface Defined {
  description: string
  args: InputFieldMap
  extensions: { operation: OperationName }
  skipTypeScopes: boolean
  validate?: { schema: z.ZodType<never> }
}

interface Resolved<R> extends Defined {
  resolve: (source: unknown, args: object, context: GraphqlContext) => R
}

/** The options of a root field: what its operation says of it, and its resolver, which is one call of the domain. */
export const runs = <Name extends OperationName, R>(
  name: Name,
  resolve: (input: Input<Name>, services: Services) => R,
): Resolved<R> => runsOpenly(name, (input, context) => resolve(input, servicesOf(context)))

/** The same where there may be no caller. */
export function runsOpenly<Name extends OperationName, R>(
  name: Name,
  resolve: (input: Input<Name>, context: GraphqlContext) => R,
): Resolved<R> {
  const operation: Operation = operations[name]
  const inputOf = (args: object) => (operation.input ? (args as { input: unknown }).input : args) as Input<Name>
  return { ...defined(name), resolve: (_, args, context) => resolve(inputOf(args), context) }
}

/** The same for a list that comes in pages. Where lists come whole, it is read without a range. */
export const pages = <Name extends OperationName, R>(
  name: Name & ((typeof operations)[Name] extends { args: z.ZodType<PageRange> } ? Name : never),
  list: (range: PageRange | undefined, services: Services) => R,
): Resolved<R> =>
  runsOpenly(name, (page, context) =>
    list(context.wholeLists ? undefined : (page as unknown as PageRange), servicesOf(context)),
  )

function defined(name: OperationName): Defined {
  const { description, nulls, open }: Operation = operations[name]
  const rules = argumentRules(name)
  const schema = rules && (nulls === 'kept' ? rules : z.preprocess(withoutNulls, rules))
  return {
    description,
    args: argsOf(name),
    extensions: { operation: name },
    skipTypeScopes: open !== undefined,
    ...(schema && { validate: { schema: schema as z.ZodType<never> } }),
  }
}

/** Input where an explicit null means "not sent". */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const kept = Object.entries(value).filter(([, v]) => v !== null && v !== undefined)
  return Object.fromEntries(kept.map(([key, v]) => [key, key === 'metadata' ? v : withoutNulls(v)]))
}

interface Streamed<Event> extends Defined {
  subscribe: (source: unknown, args: object, context: GraphqlContext) => AsyncIterable<Event>
  resolve: (event: Event) => Event
}

/** The options of a subscription: each of the events that the domain sends is the value of the field. */
export function streams<Name extends OperationName, Event>(
  name: Name,
  subscribe: (input: Input<Name>, services: Services) => AsyncIterable<Event>,
): Streamed<Event> {
  const { resolve: begin, ...options } = runs(name, (input, services) => withErrorAsEvent(subscribe(input, services)))
  const { description, asSubscription = description }: Operation = operations[name]
  return {
    ...options,
    description: asSubscription,
    subscribe: begin as Streamed<Event>['subscribe'],
    resolve: (event) => {
      if (event instanceof EndedByError) throw event.error
      return event
    },
  }
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
