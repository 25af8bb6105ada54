import SchemaBuilder from '@pothos/core'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import ZodPlugin from '@pothos/plugin-zod'
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

builder.queryType({ description: 'Reads.', authScopes: { authenticated: true } })
builder.mutationType({ description: 'Writes.', authScopes: { authenticated: true } })
builder.subscriptionType({
  description: 'Changes, as server-sent events: `POST /graphql` with `Accept: text/event-stream`.',
  authScopes: { authenticated: true },
})
