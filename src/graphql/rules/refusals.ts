import { defaultFieldResolver, type GraphQLSchema } from 'graphql'
import type { GraphqlContext } from '../builder/context.ts'

/** Makes root fields record their refusals, for REST and GraphQL. */
export function recordRefusals(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const resolve = field.resolve ?? defaultFieldResolver
      field.resolve = async (source, args, context: GraphqlContext, info) => {
        try {
          return await resolve(source, args, context, info)
        } catch (error) {
          const { session, domain, operation = info.fieldName } = context
          if (session) await domain.refused(session, operation, error)
          throw error
        }
      }
    }
  }
  return schema
}
