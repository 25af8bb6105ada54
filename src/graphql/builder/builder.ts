import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'
import ScopeAuthPlugin, { RequestCache } from '@pothos/plugin-scope-auth'
import type { GraphQLFieldResolver } from 'graphql'
import { hasPassed } from '../../domain/access/gate.ts'
import type { SentVector } from '../../domain/input/vector.ts'
import { namespaceNotGranted, unauthorized } from '../../errors.ts'
import type { RootField } from '../../model/telemetry.ts'
import type { Metadata } from '../../model/unit.ts'
import { operationOf } from '../../operations/operations.ts'
import type { GraphqlContext } from './context.ts'

type Resolver = GraphQLFieldResolver<unknown, GraphqlContext, object>

/** What holds for every root field, for REST and GraphQL. As the first plugin it also covers what the others refuse. */
class RootRulesPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolver: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { kind, name, extensions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (kind !== 'Query' && kind !== 'Mutation') return resolver
    if (extensions?.operation !== name) throw new Error(`the root field ${name} does not run its operation`)
    const resolve = resolver as Resolver
    const ruled = keepDeletedToLog(name, recordRefusals(requireGate(name, resolve)))
    const plain = keepSecretPlain(kind, name, ruled)
    return observe(kind === 'Query' ? 'query' : 'mutation', name, plain) as typeof resolver
  }

  override wrapSubscribe(
    subscribe: GraphQLFieldResolver<unknown, Types['Context'], object> | undefined,
    { kind, name, extensions }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> | undefined {
    if (kind !== 'Subscription' || !subscribe) return subscribe
    if (extensions?.operation !== name) throw new Error(`the root field ${name} does not run its operation`)
    const begin = subscribe as Resolver
    return keepDeletedToLog(name, recordRefusals(requireGate(name, begin))) as typeof subscribe
  }
}

/** Reports its duration and outcome. */
function observe(type: RootField['type'], name: string, resolve: Resolver): Resolver {
  const field = { type, name }
  return (source, args, context, info) =>
    context.domain.telemetry.field(field, async () => resolve(source, args, context, info))
}

/** Fails an operation that ran for a caller without passing the gate: its author forgot to call the gate. */
function requireGate(name: string, resolve: Resolver): Resolver {
  return async (source, args, context, info) => {
    // Each field has its own session, so that a check for another field of the request does not count.
    const session = context.session?.forOperation() ?? null
    const own = { ...context, session }
    try {
      const result = await resolve(source, args, own, info)
      if (session && !hasPassed(session, name)) throw new Error(`the operation ${name} did not pass the gate`)
      return result
    } finally {
      // The cache of each request would stay until V8 collects all garbage: what it holds leads back to its key.
      RequestCache.clearForContext(own)
    }
  }
}

/** The length of a compressed answer tells about a new secret in it. Any write may make one. */
function keepSecretPlain(kind: string, name: string, resolve: Resolver): Resolver {
  if (kind === 'Query' && !operationOf(name)?.makesSecret) return resolve
  return (source, args, context, info) => {
    context.keepPlain()
    return resolve(source, args, context, info)
  }
}

/** Records the refusals of a root field. */
const recordRefusals =
  (resolve: Resolver): Resolver =>
  async (source, args, context, info) => {
    try {
      return await resolve(source, args, context, info)
    } catch (error) {
      const { session, domain, operation = info.fieldName } = context
      if (session) await domain.refused(session, operation, error)
      throw error
    }
  }

/** Limits a root field, except those of the log, to namespaces that are not deleted. The super-admin uses those. */
function keepDeletedToLog(name: string, resolve: Resolver): Resolver {
  if (operationOf(name)?.ofLog) return resolve
  return (source, args, context, info) => {
    // The same error as for a name that never existed.
    if (context.session?.facts.isDeleted) throw namespaceNotGranted()
    return resolve(source, args, context, info)
  }
}

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      rootRules: RootRulesPlugin<Types>
    }
  }
}

const rootRules = 'rootRules'
SchemaBuilder.registerPlugin(rootRules, RootRulesPlugin)

/** The schema's type parameters. Fields are non-null by default. */
interface OwnTypes {
  Context: GraphqlContext
  DefaultFieldNullability: false
  AuthScopes: { authenticated: boolean }
  Scalars: {
    SafeInt: { Input: number; Output: number }
    Vector: { Input: SentVector; Output: Float32Array }
    Bytes: { Input: Uint8Array; Output: Uint8Array }
    JSON: { Input: unknown; Output: unknown }
    Metadata: { Input: unknown; Output: Metadata }
    Condition: { Input: unknown; Output: unknown }
    Time: { Input: unknown; Output: number }
  }
}

/**
 * The context factory and the domain decide on authorisation; this gate on root fields is a coarse second check. A caller
 * without a credential is refused before its input is read.
 */
export const builder = new SchemaBuilder<OwnTypes>({
  plugins: [rootRules, ScopeAuthPlugin],
  defaultFieldNullability: false,
  scopeAuth: {
    authScopes: ({ session }) => ({ authenticated: session !== null }),
    unauthorizedError: () => unauthorized(),
    authorizeOnSubscribe: true,
  },
})

builder.queryType({ description: 'Reads.', authScopes: { authenticated: true } })
builder.mutationType({ description: 'Writes.', authScopes: { authenticated: true } })
builder.subscriptionType({
  description: 'Changes, as server-sent events: `POST /graphql` with `Accept: text/event-stream`.',
  authScopes: { authenticated: true },
})
