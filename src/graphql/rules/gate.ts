import { defaultFieldResolver, type GraphQLSchema } from 'graphql'
import { hasPassed } from '../../domain/access/gate.ts'
import { operationOf } from '../../domain/access/operations.ts'
import type { GraphqlContext } from '../builder/context.ts'

/**
 * Fails an operation that ran for a caller without passing the gate: its author forgot to call the gate. Startup fails
 * if a root field is not in the table of operations.
 */
export function requireGate(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const [name, field] of Object.entries(type?.getFields() ?? {})) {
      if (!operationOf(name)) throw new Error(`the table of operations has no entry for the root field ${name}`)
      const resolve = field.resolve ?? defaultFieldResolver
      field.resolve = async (source, args, context: GraphqlContext, info) => {
        // Each field has its own session, so that a check for another field of the request does not count.
        const session = context.session?.forOperation() ?? null
        const result = await resolve(source, args, { ...context, session }, info)
        if (session && !hasPassed(session, name)) throw new Error(`the operation ${name} did not pass the gate`)
        return result
      }
    }
  }
  return schema
}
