import { type GraphQLSchema, isNonNullType } from 'graphql'
import { operations } from '../operations/operations.ts'
import { builder } from './builder/builder.ts'
import './types/common/scalars.ts'
import './types/operation/health.ts'
import './types/access/context.ts'
import './types/access/sign-in-options.ts'
import './types/registries/scope.ts'
import './types/units/unit.ts'
import './types/units/ingest.ts'
import './types/units/delete-units.ts'
import './types/units/update-units.ts'
import './types/search/search.ts'
import './types/search/answer-events.ts'
import './types/operation/catalog.ts'
import './types/units/source.ts'
import './types/docs/doc.ts'
import './types/docs/facets.ts'
import './types/documents/documents.ts'
import './types/units/source-link.ts'
import './types/units/upload.ts'
import './types/operation/seed.ts'
import './types/access/agent-connection.ts'
import './types/access/api-key.ts'
import './types/access/explain-access.ts'
import './types/view-as/view-as.ts'
import './types/audit/audit.ts'
import './types/audit/audit-proof.ts'
import './types/audit/audit-export.ts'
import './types/billing/billing.ts'
import './types/billing/billing-provider.ts'
import './types/evaluation/golden-query.ts'
import './types/evaluation/evaluation.ts'
import './types/evaluation/benchmark-report.ts'
import './types/registries/namespace.ts'
import './types/registries/grant.ts'
import './types/registries/invitation.ts'
import './types/registries/invitation-link.ts'
import './types/registries/principal.ts'

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
