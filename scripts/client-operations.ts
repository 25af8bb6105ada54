import { type GraphQLField, getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql'
import { schema } from '../src/graphql/schema.ts'
import { fieldsOf, readShape, type Shape, type Shown, typesOf } from '../src/http/rest/call.ts'
import { toWireName } from '../src/http/rest/input.ts'
import {
  answerSchema,
  type Components,
  inputSchema,
  type JsonSchema,
  withBounds,
} from '../src/http/rest/openapi-types.ts'
import { shapes } from '../src/operations/operation.ts'

/**
 * Operations that the clients offer and REST does not have, and what they show of the result if not what answers show of its type:
 * of a type that REST does not know, all.
 */
const offered: Readonly<Record<string, string | undefined>> = {
  changeGroup: undefined,
  createApiKey: undefined,
  createUpload: undefined,
  deleteDocuments: undefined,
  deleteSource: undefined,
  document: undefined,
  documents: undefined,
  apiKeys: undefined,
  explainAccess: undefined,
  exportAudit: undefined,
  facets: 'count facets metadata_keys',
  groupMembers: undefined,
  groups: undefined,
  ingestDocument: undefined,
  renameGroup: undefined,
  retryDocuments: undefined,
  revokeApiKey: undefined,
  source: undefined,
  units: 'units hidden_by_acl context next_cursor',
  updatePrincipal: 'principal_id name email namespace kind groups read_only active_scope created_at',
  updateReaders: undefined,
}

type Root = GraphQLField<unknown, unknown>

/** With aliases, so that an answer has names of the wire. */
function selection(shown: Shown, { type }: Pick<Root, 'type'>, shape: Shape | undefined): string {
  const named = getNamedType(type)
  if (isLeafType(named)) return ''
  if (!isObjectType(named)) {
    const parts = typesOf(shown, named, shape).map(
      (one) => `... on ${one.type.name}${selection(shown, one, one.shape)}`,
    )
    return `{${parts.join(' ')}}`
  }
  const fields = fieldsOf(shown, named, shape).map(
    ({ key, field, shape: below }) =>
      `${key === field.name ? '' : `${key}:`}${field.name}${selection(shown, field, below)}`,
  )
  return `{${fields.join(' ')}}`
}

function documentOf(kind: string, field: Root, below: string): string {
  const declared = field.args.map(({ name, type }) => `$${name}:${type}`).join(',')
  const passed = field.args.map(({ name }) => `${name}:$${name}`).join(',')
  return `${kind}${declared && `(${declared})`}{result:${field.name}${passed && `(${passed})`}${below}}`
}

type Document = { paths: object; components: { schemas: Record<string, JsonSchema> } }

/**
 * The documents of the operations, and openapi.json with these beside its routes, for generators of types alone: each as if it had
 * the route `/graphql#<name>`, in names of the wire.
 */
export function clientOperations<Rest extends Document>(
  rest: Rest,
): { documents: Record<string, string>; openapi: Rest } {
  const components: Components = new Map(Object.entries(rest.components.schemas))
  const shown = { schema, shapes: { ...wholeTypes(components), ...shapes } }
  const documents: Record<string, string> = {}
  const paths: Record<string, object> = {}
  const roots = { query: schema.getQueryType(), mutation: schema.getMutationType() }
  for (const [name, answer] of Object.entries(offered)) {
    const shape = answer === undefined ? undefined : readShape(answer)
    for (const [kind, root] of Object.entries(roots)) {
      const field = root?.getFields()[name]
      if (!field) continue
      documents[name] = documentOf(kind, field, selection(shown, field, shape))
      paths[`/graphql#${name}`] = { post: describe(field, answerOf(shown, field, shape, components), components) }
    }
  }
  const sentence = schema.getType('AnswerSentence')
  if (isObjectType(sentence)) answerOf(shown, { type: sentence, name: 'answer' }, undefined, components)
  const schemas = Object.fromEntries(components)
  return {
    documents,
    openapi: { ...rest, paths: { ...rest.paths, ...paths }, components: { ...rest.components, schemas } },
  }
}

/** All fields without arguments, of the types that REST does not show. */
const wholeTypes = (known: Components): Shown['shapes'] =>
  Object.fromEntries(
    Object.values(schema.getTypeMap()).flatMap((type) => {
      if (!isObjectType(type) || known.has(type.name)) return []
      const fields = Object.values(type.getFields()).filter(({ args }) => args.length === 0)
      return [[type.name, fields.map(({ name }) => toWireName(name)).join(' ')]]
    }),
  )

const answerOf = (shown: Shown, field: Pick<Root, 'type' | 'name'>, shape: Shape | undefined, components: Components) =>
  answerSchema({ field, shape, plan: { field: field.name } }, shown, components)

function describe(field: Root, answer: JsonSchema, components: Components): object {
  const properties = Object.fromEntries(
    field.args.map((one) => [toWireName(one.name), withBounds(inputSchema(one.type, components), one)]),
  )
  const required = field.args.filter(isRequiredArgument).map(({ name }) => toWireName(name))
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) }
  return {
    operationId: field.name,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 200: { description: 'Success.', content: { 'application/json': { schema: answer } } } },
  }
}
