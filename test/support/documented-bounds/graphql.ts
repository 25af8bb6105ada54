import {
  type GraphQLInputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { schema } from '../../../src/graphql/schema.ts'
import { type Bound, boundsIn, type Node } from './bound.ts'

/** A bound of an argument or input field, and a document that sends it. */
export interface GraphqlBound {
  field: string
  document: string
  bound: Bound
}

/** Every bound that the GraphQL schema states for the arguments of root fields. */
export function graphqlBounds(): GraphqlBound[] {
  return [
    { kind: 'query', type: schema.getQueryType() },
    { kind: 'mutation', type: schema.getMutationType() },
  ].flatMap(({ kind, type }) =>
    Object.values(type?.getFields() ?? {}).flatMap(({ name: field, args, type: result }) => {
      const variables = args.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
      const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
      const selection = isCompositeType(getNamedType(result)) ? '{ __typename }' : ''
      const document = `${kind} (${variables}) { result: ${field}(${given}) ${selection} }`
      return args.flatMap((arg) =>
        boundsIn(nodeOf(arg.type, arg.extensions.bounds), [arg.name]).map((bound) => ({ field, document, bound })),
      )
    }),
  )
}

const scalars: Record<string, Node> = {
  Int: { type: 'integer' },
  SafeInt: { type: 'integer' },
  Float: { type: 'number' },
  Vector: { type: 'array', items: { type: 'number' } },
}

/** Within itself an object has no bounds of its own: filters hold filters. */
function nodeOf(type: GraphQLInputType, stated: unknown, around: readonly GraphQLInputType[] = []): Node {
  if (isNonNullType(type)) return nodeOf(type.ofType, stated, around)
  const { items, ...bounds } = { ...(stated as Node | undefined) }
  if (isListType(type)) return { type: 'array', ...bounds, items: nodeOf(type.ofType, items, around) }
  if (isEnumType(type)) return { type: 'string', ...bounds, enum: type.getValues().map(({ name }) => name) }
  if (!isInputObjectType(type)) return { ...(scalars[type.name] ?? { type: 'string' }), ...bounds }
  const fields = around.includes(type) ? [] : Object.values(type.getFields())
  const inside = [...around, type]
  return {
    type: 'object',
    ...bounds,
    properties: Object.fromEntries(
      fields.map((field) => [field.name, nodeOf(field.type, field.extensions.bounds, inside)]),
    ),
  }
}
