import SchemaBuilder from '@pothos/core'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import ZodPlugin from '@pothos/plugin-zod'
import { z } from 'zod'
import { invalidInput } from '../../domain/input/parse.ts'
import type { SentVector } from '../../domain/input/vector.ts'
import { InvalidInputError, unauthorized } from '../../errors.ts'
import type { Metadata } from '../../model/unit.ts'
import type { GraphqlContext } from './context.ts'
import { rootRules } from './root-rules.ts'

/** The schema's type parameters. Fields are non-null by default. */
interface SchemaTypes {
  Context: GraphqlContext
  DefaultFieldNullability: false
  AuthScopes: { authenticated: boolean }
  Scalars: {
    SafeInt: { Input: number; Output: number }
    Vector: { Input: SentVector; Output: Float32Array }
    Bytes: { Input: Uint8Array; Output: Uint8Array }
    JSON: { Input: unknown; Output: unknown }
    Metadata: { Input: unknown; Output: Metadata }
  }
}

/**
 * The context factory and the domain decide on authorisation; this gate on root fields is a coarse second check. In
 * this plugin order, a caller without a credential is refused before its input is validated.
 */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [rootRules, ScopeAuthPlugin, ZodPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: ({ session }) => ({ authenticated: session !== null }),
    unauthorizedError: () => unauthorized(),
    authorizeOnSubscribe: true,
  },
  zod: {
    validationError: (error) => {
      const { field, problem } = invalidInput(error)
      // The argument `input` is the whole body: REST sends it as the body.
      return new InvalidInputError(field[0] === 'input' ? field.slice(1) : field, problem)
    },
  },
})

/** The type that Pothos accepts: it does not know the types of the validated arguments. */
interface Checked<R> {
  validate: { schema: z.ZodType<never> }
  resolve: (source: unknown, args: object, context: GraphqlContext) => R
}

/**
 * The rules of a root field's arguments, and its resolver, which receives the validated arguments. An explicit null
 * means "not sent", unless `nulls` are kept.
 */
export function checked<Args, R>(
  schema: z.ZodType<Args>,
  resolve: (args: Args, context: GraphqlContext) => R,
  { nulls = 'left out' }: { nulls?: 'left out' | 'kept' } = {},
): Checked<R> {
  const field = {
    validate: { schema: nulls === 'kept' ? schema : z.preprocess(withoutNulls, schema) },
    resolve: (_: unknown, args: Args, context: GraphqlContext) => resolve(args, context),
  }
  // The only cast: the plugin checks and converts arguments, but does not change their types.
  return field as unknown as Checked<R>
}

/** Input where an explicit null means "not sent". */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  const kept = Object.entries(value).filter(([, v]) => v !== null && v !== undefined)
  return Object.fromEntries(kept.map(([key, v]) => [key, key === 'metadata' ? v : withoutNulls(v)]))
}

/** The same for a field whose only argument is `input`. */
export const checkedInput = <Input, R>(
  schema: z.ZodType<Input>,
  resolve: (input: Input, context: GraphqlContext) => R,
): Checked<R> => checked(z.strictObject({ input: schema }), ({ input }, context) => resolve(input, context))

/** The type that Pothos accepts for a subscription. */
interface CheckedSubscription<Event> {
  validate: { schema: z.ZodType<never> }
  subscribe: (source: unknown, args: object, context: GraphqlContext) => AsyncIterable<Event>
  resolve: (event: Event) => Event
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

/** The same for a subscription: `subscribe` receives the validated arguments; each of its events is the field's value. */
export function checkedSubscription<Args, Event>(
  schema: z.ZodType<Args>,
  subscribe: (args: Args, context: GraphqlContext) => AsyncIterable<Event>,
): CheckedSubscription<Event> {
  const begin = (args: Args, context: GraphqlContext) => withErrorAsEvent(subscribe(args, context))
  const { validate, resolve } = checked(schema, begin)
  return {
    validate,
    subscribe: resolve as CheckedSubscription<Event>['subscribe'],
    resolve: (event) => {
      if (event instanceof EndedByError) throw event.error
      return event
    },
  }
}

/** The same for a subscription whose only argument is `input`. */
export const checkedInputSubscription = <Input, Event>(
  schema: z.ZodType<Input>,
  subscribe: (input: Input, context: GraphqlContext) => AsyncIterable<Event>,
): CheckedSubscription<Event> =>
  checkedSubscription(z.strictObject({ input: schema }), ({ input }, context) => subscribe(input, context))

builder.queryType({ description: 'Reads.', authScopes: { authenticated: true } })
builder.mutationType({ description: 'Writes.', authScopes: { authenticated: true } })
builder.subscriptionType({
  description: 'Changes, as server-sent events: `POST /graphql` with `Accept: text/event-stream`.',
  authScopes: { authenticated: true },
})
