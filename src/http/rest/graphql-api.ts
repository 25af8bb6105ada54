import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Auth, RequestFacts } from '../../model/request-facts.ts'
import type { SentKey } from '../idempotency.ts'

/** Without `data` the variables were refused, and nothing ran. */
export interface Executed {
  data?: Readonly<Record<string, unknown>> | null
  errors?: readonly Error[]
}

/** Runs an operation. `variables` are in GraphQL names and not coerced yet. */
export type Execute<Context> = (variables: Record<string, unknown>, context: Context) => Promise<Executed>

/** The GraphQL side, as the REST layer needs it. */
export interface GraphqlApi<Context> {
  schema: GraphQLSchema
  /** Finds out who is calling; throws ServiceError 401, 403 or 400. `auth` says whether a credential is required. */
  context(facts: RequestFacts, auth: Auth): Promise<Context>
  /** Runs a write. Under a key the answer is a text, perhaps of an earlier request; else it is what `act` returned. */
  write<T>(
    context: Context,
    sent: SentKey | null,
    act: () => Promise<T>,
    textOf: (value: T) => Promise<string | null>,
  ): Promise<{ value: T | undefined; text: string | null }>
  /** Prepares a validated document, once. */
  prepare(document: DocumentNode): Execute<Context>
}
