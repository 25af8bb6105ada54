import { type GraphQLSchema, isNonNullType } from 'graphql'

/**
 * Makes every root field nullable: any of them may fail, and a non-null one would take the answers of the others with
 * it, so that a client could not learn what was done. A null there always comes with an error; all else is as declared.
 */
export function withNullableRoots(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (isNonNullType(field.type)) field.type = field.type.ofType
    }
  }
  return schema
}
