import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql'
import type { RequestRecord } from '../request-record.ts'
import type { Auth } from './route.ts'

/** What a request says about its caller; who that is, the context factory finds out. */
export interface RequestFacts {
  headers: Readonly<Record<string, string>>
  query: URLSearchParams
  requestId: string
  /** The route, as `GET /v1/units/:id`. */
  operation: string
  /** For who is calling, once that is known. */
  record: RequestRecord
}

/** The GraphQL side, as the shim needs it. */
export interface GraphqlDoor<Context> {
  schema: GraphQLSchema
  /** Resolves who is calling; throws ServiceError 401, 403 or 400. `auth` says whether a credential must be there. */
  context(facts: RequestFacts, options: { auth: Auth }): Promise<Context>
  /** Runs a validated document. `variables` are in GraphQL names and not coerced yet. */
  execute(document: DocumentNode, variables: Record<string, unknown>, context: Context): Promise<ExecutionResult>
}
