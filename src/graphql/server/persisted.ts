import { createHash } from 'node:crypto'
import { GraphQLError } from 'graphql'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { badRequest, InvalidInputError, ServiceError } from '../../errors.ts'

export interface DocumentRules {
  /** `persisted`: only texts of the manifest run. */
  accepted: 'any' | 'persisted'
  /** Texts by the hex of their SHA-256. */
  manifest: ReadonlyMap<string, string>
}

/** The parameter of a request, besides those that GraphQL over HTTP names. */
export const idParameter = 'documentId'

/** Texts that callers sent with their hash: this many, and this many characters together. */
const maxLearned = { max: 1_000, maxSize: 16 * 1024 * 1024 }

/** Replaces the id of a document by its text, and refuses texts that are not accepted. */
export function persistedDocuments({ accepted, manifest }: DocumentRules): Plugin {
  const known = new Set(manifest.values())
  const learned = new LRUCache<string, string>({ ...maxLearned, sizeCalculation: ({ length }) => length + 1 })

  /** The text to run; not a string if the request names none, which later checks refuse. */
  function textOf(params: Sent, request: Request): unknown {
    const { query } = params
    const sent = sentId(params, request)
    if (query === undefined || query === null) return sent ? find(sent) : query
    if (typeof query !== 'string') return query
    if (sent) checkHash(sent, query)
    if (known.has(query)) return query
    if (accepted === 'persisted') throw onlyPersisted()
    if (sent) learned.set(sent.hash, query)
    return query
  }

  function find(sent: SentId): string {
    const text = manifest.get(sent.hash) ?? learned.get(sent.hash)
    if (text === undefined) throw notFound(sent)
    return text
  }

  return {
    onParams({ params, request, setParams }) {
      const query = textOf(params, request)
      if (query !== params.query) setParams({ ...params, query: query as string })
    },
  }
}

type Sent = GraphQLParams & { [idParameter]?: unknown }

/** The id of a document. Apollo's clients send `extensions.persistedQuery`, and know one message. */
interface SentId {
  hash: string
  isApollo: boolean
}

/** The id of the document in a request, in any of its places. */
function sentId({ documentId, extensions }: Sent, { url }: Request): SentId | undefined {
  const id = documentId ?? new URL(url).searchParams.get(idParameter) ?? undefined
  if (id !== undefined) return { hash: hashOf(id, [idParameter]), isApollo: false }
  const persisted: unknown = extensions?.persistedQuery
  if (typeof persisted !== 'object' || persisted === null) return undefined
  const { sha256Hash } = persisted as { sha256Hash?: unknown }
  return { hash: hashOf(sha256Hash, ['extensions', 'persistedQuery', 'sha256Hash']), isApollo: true }
}

function hashOf(id: unknown, path: readonly string[]): string {
  if (typeof id !== 'string') throw asGraphql(new InvalidInputError(path, 'must be a string such as sha256:<hex>'))
  return id.replace(/^sha256:/, '')
}

function checkHash({ hash }: SentId, text: string): void {
  if (createHash('sha256').update(text).digest('hex') === hash) return
  throw asGraphql(badRequest('the document must have the SHA-256 that the request names'))
}

const notFound = ({ isApollo }: SentId) =>
  asGraphql(
    isApollo
      ? // Apollo's clients then send the text, too. They recognise this word alone.
        new ServiceError('persisted_query_not_found', 'PersistedQueryNotFound')
      : new ServiceError('persisted_query_not_found', 'the document is unknown: its id must be one of a manifest'),
  )

const onlyPersisted = () =>
  asGraphql(new ServiceError('persisted_only', 'the document must be one of a manifest: send its documentId'))

/** The engine keeps GraphQL's errors, and wraps others. */
const asGraphql = (originalError: ServiceError) => new GraphQLError(originalError.detail, { originalError })
