import type { documents } from './documents.ts'
import type { components, paths } from './openapi.ts'

type Method<Path extends keyof paths, Verb extends keyof paths[Path]> = paths[Path][Verb]
type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never

/** The body of a successful response, e.g. `Answer<'/v1/search', 'post'>`. */
export type Answer<Path extends keyof paths, Verb extends keyof paths[Path]> =
  Method<Path, Verb> extends { responses: { 200: infer Success } } ? Json<Success> : never

/** The body of a request. */
export type Body<Path extends keyof paths, Verb extends keyof paths[Path]> =
  Method<Path, Verb> extends { requestBody: infer Request } ? Json<Request> : never

/** Operations of GraphQL, in names of the wire, as if each had a route. */
export type Operation = keyof typeof documents
export type Variables<Name extends Operation> = Body<`/graphql#${Name}`, 'post'>
export type Result<Name extends Operation> = Answer<`/graphql#${Name}`, 'post'>

export type SearchQuery = Body<'/v1/search', 'post'>
export type SearchAnswer = Answer<'/v1/search', 'post'>
export type CitedAnswer = Answer<'/v1/answer', 'post'>
export type Unit = Answer<'/v1/units/{id}', 'get'>
export type UnitPage = Answer<'/v1/units', 'get'>
export type AuditPage = Answer<'/v1/audit', 'get'>
export type AuditRow = AuditPage['rows'][number]
export type Checkpoint = Answer<'/v1/audit/checkpoint', 'get'>
export type Proof = Answer<'/v1/audit/proof', 'get'>
export type Document = Result<'document'>
export type Group = Result<'groups'>['groups'][number]
export type ApiKey = Result<'apiKeys'>['keys'][number]
export type Filters = NonNullable<SearchQuery['filters']>
/** What comes while an answer is made: the hits, each sentence, and the whole. */
export type AnswerEvent =
  | ({ event: 'hits' } & CitedAnswer)
  | ({ event: 'sentence' } & components['schemas']['AnswerSentence'])
  | ({ event: 'done' } & CitedAnswer)
export type UnitInput = Body<'/v1/ingest', 'post'>['units'][number]
