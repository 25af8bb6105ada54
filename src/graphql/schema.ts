import { type GraphQLSchema, isNonNullType } from 'graphql'
import { operations } from '../operations/operations.ts'
import { builder } from './builder/builder.ts'
import './types/common.ts'
import './types/service.ts'
import './types/access.ts'
import './types/registries.ts'
import './types/units.ts'
import './types/search.ts'
import './types/documents.ts'
import './types/audit.ts'
import './types/billing.ts'
import './types/evaluation.ts'

const described = builder.toSchema({ sortSchema: true })
described.description =
  'Multi-tenant, multimodal retrieval. Units of four planes go in; hybrid search and cited answers come out. Every operation ' +
  'works in one namespace and scope, and reaches only the Units that its caller may read. Errors carry `extensions.code`, ' +
  'one of the codes of the REST API, and answers `extensions.cost`.'

export const schema = withRootRules(described)

/**
 * Makes every root field nullable: any of them may fail. A failed non-null field would remove the answers of the other
 * fields, and a client could not learn what was done. A null root field always comes with an error. All other fields
 * are as declared. Throws if an operation has no root field.
 */
function withRootRules(schema: GraphQLSchema): GraphQLSchema {
  for (const [name, { kind }] of Object.entries(operations)) {
    const types = {
      query: schema.getQueryType(),
      mutation: schema.getMutationType(),
      subscription: schema.getSubscriptionType(),
    }
    if (!types[kind]?.getFields()[name]) throw new Error(`the ${kind} ${name} has no root field`)
  }
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (isNonNullType(field.type)) field.type = field.type.ofType
    }
  }
  return schema
}
