import SchemaBuilder from '@pothos/core'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import ZodPlugin from '@pothos/plugin-zod'
import { z } from 'zod'
import { invalidInput } from '../../domain/input/parse.ts'
import { InvalidInputError, unauthorized } from '../../errors.ts'
import type { Metadata } from '../../model/unit.ts'
import type { GraphqlContext } from './context.ts'
import { withoutNulls } from './without-nulls.ts'

/** The schema's type parameters. Fields are non-null unless they say otherwise. */
interface SchemaTypes {
  Context: GraphqlContext
  DefaultFieldNullability: false
  AuthScopes: { authenticated: boolean }
  Scalars: {
    SafeInt: { Input: number; Output: number }
    Vector: { Input: Float32Array; Output: Float32Array }
    Bytes: { Input: Uint8Array; Output: Uint8Array }
    JSON: { Input: unknown; Output: unknown }
    Metadata: { Input: unknown; Output: Metadata }
  }
}

/**
 * Authorisation belongs to the context factory and the domain; this gate on root fields is the coarse second one. In this
 * order of the plugins a caller without a credential is refused before what it sent is looked at.
 */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin, ZodPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: ({ session }) => ({ authenticated: session !== null }),
    unauthorizedError: () => unauthorized(),
  },
  zod: {
    validationError: (error) => {
      const { field, problem } = invalidInput(error)
      // The argument `input` stands for the whole: REST sends it as the body.
      return new InvalidInputError(field[0] === 'input' ? field.slice(1) : field, problem)
    },
  },
})

/** As Pothos takes it: what the schema makes of the arguments is nothing that it knows. */
interface Checked<R> {
  validate: { schema: z.ZodType<never> }
  resolve: (source: unknown, args: object, context: GraphqlContext) => R
}

/**
 * The rules of a root field's arguments, and its resolver, which gets what the schema makes of them. An explicit null
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
  // The one cast: the plugin checks and converts arguments, but leaves their types as they were.
  return field as unknown as Checked<R>
}

/** The same for a field whose one argument is `input`. */
export const checkedInput = <Input, R>(
  schema: z.ZodType<Input>,
  resolve: (input: Input, context: GraphqlContext) => R,
): Checked<R> => checked(z.strictObject({ input: schema }), ({ input }, context) => resolve(input, context))

builder.queryType({ description: 'Reads.', authScopes: { authenticated: true } })
builder.mutationType({ description: 'Writes.', authScopes: { authenticated: true } })
