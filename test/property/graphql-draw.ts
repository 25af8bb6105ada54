import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { schema } from '../../src/graphql/schema.ts'
import { selectionOf } from '../support/access/selection.ts'
import type { Draw } from './draw.ts'

/** Requests for any root field of the schema, so that a property tries new operations by itself. */

export interface RootField {
  name: string
  kind: 'query' | 'mutation' | 'subscription'
  args: readonly GraphQLArgument[]
  selection: string
}

const rootTypes = {
  query: schema.getQueryType(),
  mutation: schema.getMutationType(),
  subscription: schema.getSubscriptionType(),
}

const rootsOf = (kind: RootField['kind']): RootField[] =>
  Object.values(rootTypes[kind]?.getFields() ?? {}).map(({ name, args, type }) => ({
    name,
    kind,
    args,
    selection: selectionOf(type),
  }))

export const rootFields: readonly RootField[] = [
  ...rootsOf('query'),
  ...rootsOf('mutation'),
  ...rootsOf('subscription'),
]

/** How a property chooses. */
export interface Choices {
  /** Whether an argument or field that may be left out is sent. */
  takes(input: GraphQLArgument | GraphQLInputField): boolean
  scalar(type: string, name: string): unknown
  /** Items of a list. Default: one to three. */
  size?: number
}

/** The document that asks for everything, with arguments drawn by type and name as its variables. */
export function drawQuery(draw: Draw, { name, kind, args, selection }: RootField, choices: Choices) {
  const given = args.filter((arg) => isNonNullType(arg.type) || choices.takes(arg))
  const variables = Object.fromEntries(given.map((arg) => [arg.name, drawValue(draw, arg.type, arg.name, choices)]))
  const declared = given.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')
  const passed = given.map((arg) => `${arg.name}: $${arg.name}`).join(', ')
  const query = `${kind} ${declared && `(${declared})`} { ${name}${passed && `(${passed})`} ${selection} }`
  return { query, variables }
}

function drawValue(draw: Draw, type: GraphQLInputType, name: string, choices: Choices): unknown {
  if (isNonNullType(type)) return drawValue(draw, type.ofType, name, choices)
  if (isListType(type)) {
    const length = choices.size ?? 1 + draw.upTo(2)
    const items = Array.from({ length }, () => drawValue(draw, type.ofType, name, choices))
    return typeof items[0] === 'object' ? items : [...new Set(items)]
  }
  if (isEnumType(type)) return draw.pick(type.getValues()).name
  if (!isInputObjectType(type)) return choices.scalar(type.name, name)
  const fields = Object.values(type.getFields()).filter((one) => isNonNullType(one.type) || choices.takes(one))
  return Object.fromEntries(fields.map((one) => [one.name, drawValue(draw, one.type, one.name, choices)]))
}
