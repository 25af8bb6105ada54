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
 * are as declared. Throws if an operation has no root field, and for a root field that is not of its operation.
 */
function withRootRules(schema: GraphQLSchema): GraphQLSchema {
  const [query, mutation, subscription] = [
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ]
  for (const [name, { kind }] of Object.entries(operations)) {
    const fields = { query, mutation, subscription }[kind]?.getFields() ?? {}
    if (!fields[name]) throw new Error(`the ${kind} ${name} has no root field`)
  }
  for (const type of [query, mutation, subscription]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      if (field.extensions.operation !== field.name)
        throw new Error(`the root field ${field.name} does not run its operation`)
      if (type === subscription) continue
      if (isNonNullType(field.type)) field.type = field.type.ofType
    }
  }
  return schema
}
