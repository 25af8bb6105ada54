import { defaultFieldResolver, type GraphQLSchema } from 'graphql'
import { forbidden } from '../../errors.ts'
import type { GraphqlContext } from '../builder/context.ts'

/** What is left of a deleted namespace, for the super-admin. */
const ofItsLog = new Set(['audit', 'auditCheckpoint', 'auditProof', 'exportAudit', 'verifyAudit'])

/** Keeps every root field but those of the log to namespaces that are not deleted. */
export function keepDeletedToLog(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const [name, field] of Object.entries(type?.getFields() ?? {})) {
      if (ofItsLog.has(name)) continue
      const resolve = field.resolve ?? defaultFieldResolver
      field.resolve = (source, args, context: GraphqlContext, info) => {
        // As for a name that never was one.
        if (context.session?.facts.isDeleted) throw forbidden('the namespace was not granted')
        return resolve(source, args, context, info)
      }
    }
  }
  return schema
}
