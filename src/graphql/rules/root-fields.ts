import { type GraphQLSchema, isNonNullType } from 'graphql'

/**
 * Makes every root field nullable: any of them may fail. A failed non-null field would remove the answers of the other
 * fields, and a client could not learn what was done. A null root field always comes with an error. All other fields
 * are as declared.
 */
export function withNullableRoots(schema: GraphQLSchema): GraphQLSchema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (isNonNullType(field.type)) field.type = field.type.ofType
    }
  }
  return schema
}
