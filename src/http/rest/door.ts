import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql'
import type { Auth, RequestFacts } from '../../model/request-facts.ts'

/** The GraphQL side, as the REST layer needs it. */
export interface GraphqlDoor<Context> {
  schema: GraphQLSchema
  /** Finds out who is calling; throws ServiceError 401, 403 or 400. `auth` says whether a credential is required. */
  context(facts: RequestFacts, auth: Auth): Promise<Context>
  /** Runs a validated document. `variables` are in GraphQL names and not coerced yet. */
  execute(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
}
