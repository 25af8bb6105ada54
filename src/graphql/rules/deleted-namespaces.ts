import { defaultFieldResolver, type GraphQLSchema } from 'graphql'
import { forbidden } from '../../errors.ts'
import type { GraphqlContext } from '../builder/context.ts'

/** Root fields that the super-admin can still use on a deleted namespace. */
const ofItsLog = new Set(['audit', 'auditCheckpoint', 'auditProof', 'exportAudit', 'verifyAudit'])

/** Limits every root field, except those of the log, to namespaces that are not deleted. */
export function keepDeletedToLog(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const [name, field] of Object.entries(type?.getFields() ?? {})) {
      if (ofItsLog.has(name)) continue
      const resolve = field.resolve ?? defaultFieldResolver
      field.resolve = (source, args, context: GraphqlContext, info) => {
        // The same error as for a name that never existed.
        if (context.session?.facts.isDeleted) throw forbidden('the namespace was not granted')
        return resolve(source, args, context, info)
      }
    }
  }
  return schema
}
