import type { OutputRef } from '@pothos/core'
import { z } from 'zod'
import { invalidInput } from '../../domain/input/parse.ts'
import type { Services } from '../../domain/services.ts'
import { InvalidInputError } from '../../errors.ts'
import type { PageRange } from '../../model/page.ts'
import type { Operation } from '../../operations/operation.ts'
import { type OperationName, operations } from '../../operations/operations.ts'
import { builder } from './builder.ts'
import { type GraphqlContext, servicesOf } from './context.ts'
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
  addField(name, type, {
    resolve: async (_: unknown, args: object, context: GraphqlContext) => resolve(read(args), context),
  })
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

function addField(name: OperationName, type: ResultType, run: object, kind: Operation['kind'] = operations[name].kind) {
  const { description, asSubscription = description, open }: Operation = operations[name]
  const options = {
    type,
    description: kind === 'subscription' ? asSubscription : description,
    args: argsOf(name),
    extensions: { operation: name },
    skipTypeScopes: open !== undefined,
    ...run,
  }
  root[`${kind}Field`](name, (t) => t.field(options))
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
  addField(
    name,
    type,
    {
      subscribe: async (_: unknown, args: object, context: GraphqlContext) =>
        withErrorAsEvent(subscribe(read(args), servicesOf(context))),
      resolve: (event: unknown) => {
        if (event instanceof EndedByError) throw event.error
        return event
      },
    },
    'subscription',
  )
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
