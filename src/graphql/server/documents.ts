import { createHash } from 'node:crypto'
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import type { GraphQLParams, Plugin } from 'graphql-yoga'
import { LRUCache } from 'lru-cache'
import { badRequest, InvalidInputError, ServiceError } from '../../errors.ts'

/** What the cost of an operation does not limit: reading and validating its document, and introspection. */
export interface GraphqlLimits {
  /** Comments, names and strings take no tokens, however long they are. */
  maxCharacters: number
  /** Fragments count at every spread, here and below. */
  maxAliases: number
  /** Each repeats a part of the schema, which may be all of it. graphql-js limits the depth of introspection. */
  maxIntrospectionAliases: number
  /** Selected fields, not multiplied by list lengths. */
  maxFields: number
  maxTokens: number
}

export const defaultLimits: GraphqlLimits = {
  maxCharacters: 2 * 1024 * 1024,
  maxAliases: 30,
  maxIntrospectionAliases: 5,
  maxFields: 500,
  maxTokens: 5_000,
}

interface Size {
  aliases: number
  introspectionAliases: number
  fields: number
}

const nothing: Size = { aliases: 0, introspectionAliases: 0, fields: 0 }

/**
 * The limits that a document breaks. It needs no schema, so it runs before validation: a hostile document can make the
 * rules of validation slow. Each fragment is measured once, so nested spreads cost nothing, and a cycle is an error.
 */
export function limitErrors(document: DocumentNode, limits: GraphqlLimits): GraphQLError[] {
  const measure = createMeasure(document)
  const errors: GraphQLError[] = []
  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue
    const size = measure(node.selectionSet)
    if (size === 'cycle') return [tooMuch('a fragment must not contain itself')]
    const { aliases, introspectionAliases, fields } = size
    if (aliases > limits.maxAliases) errors.push(tooMuch(`the query must have at most ${limits.maxAliases} aliases`))
    if (introspectionAliases > limits.maxIntrospectionAliases) {
      errors.push(tooMuch(`the query must introspect under at most ${limits.maxIntrospectionAliases} aliases`))
    }
    if (fields > limits.maxFields) errors.push(tooMuch(`the query must select at most ${limits.maxFields} fields`))
  }
  return errors
}

export const tooMuch = (message: string) =>
  new GraphQLError(message, { extensions: { code: 'bad_request', status: 400 } })

function createMeasure(document: DocumentNode): (set: SelectionSetNode) => Size | 'cycle' {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  }
  const measured = new Map<string, Size | 'cycle'>()

  function sizeOfSet(set: SelectionSetNode | undefined): Size | 'cycle' {
    let total = nothing
    for (const selection of set?.selections ?? []) {
      const size = sizeOf(selection)
      if (size === 'cycle') return size
      total = {
        aliases: total.aliases + size.aliases,
        introspectionAliases: total.introspectionAliases + size.introspectionAliases,
        fields: total.fields + size.fields,
      }
    }
    return total
  }

  function sizeOf(node: SelectionNode): Size | 'cycle' {
    if (node.kind === Kind.INLINE_FRAGMENT) return sizeOfSet(node.selectionSet)
    if (node.kind === Kind.FRAGMENT_SPREAD) return sizeOfFragment(node.name.value)
    const below = sizeOfSet(node.selectionSet)
    if (below === 'cycle') return below
    const introspects = node.name.value === '__schema' || node.name.value === '__type'
    const aliases = below.aliases + (node.alias === undefined ? 0 : 1)
    return {
      aliases,
      introspectionAliases: introspects ? aliases : below.introspectionAliases,
      fields: below.fields + 1,
    }
  }

  function sizeOfFragment(name: string): Size | 'cycle' {
    const known = measured.get(name)
    if (known !== undefined) return known
    // If the name occurs again before it is measured, the fragment contains itself.
    measured.set(name, 'cycle')
    const size = sizeOfSet(fragments.get(name)?.selectionSet)
    measured.set(name, size)
    return size
  }

  return sizeOfSet
}

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
