import SchemaBuilder from '@pothos/core'
import ScopeAuthPlugin from '@pothos/plugin-scope-auth'
import { unauthorized } from '../../errors.ts'
import type { Metadata } from '../../model/unit.ts'
import type { GraphqlContext } from './context.ts'

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

/** Authorisation belongs to the context factory and the domain; this gate on root fields is the coarse second one. */
export const builder = new SchemaBuilder<SchemaTypes>({
  plugins: [ScopeAuthPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: ({ session }) => ({ authenticated: session !== null }),
    unauthorizedError: () => unauthorized(),
  },
})

builder.queryType({ description: 'Reads.', authScopes: { authenticated: true } })
builder.mutationType({ description: 'Writes.', authScopes: { authenticated: true } })
