import {
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLSchema,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  typeFromAST,
  validate,
} from 'graphql'
import type { VariableType } from './input.ts'
import type { Route } from './route.ts'

/** A route whose document has been read. */
export interface Operation {
  route: Route
  document: DocumentNode
  definition: OperationDefinitionNode
  variables: VariableType[]
  isWrite: boolean
  /** Whether the root field with alias `body` is the whole answer. */
  bodyIsRoot: boolean
}

/** Routes and the schema never change, and their description needs the operations, too. */
const read = new WeakMap<GraphQLSchema, Map<Route, Operation>>()

/** A route, validated against the schema. A document that does not fit it is a programming error and throws. */
export function prepare(route: Route, schema: GraphQLSchema): Operation {
  const operation = readOperation(route, schema)
  const errors = validate(schema, operation.document)
  if (errors.length === 0) return operation
  throw new Error(`${placeOf(route)}: ${errors.map((error) => error.message).join('; ')}`)
}

/** The same without validation, which takes five times as long: `openapi.json` and its test validate every route. */
export function readOperation(route: Route, schema: GraphQLSchema): Operation {
  const known = read.get(schema) ?? new Map<Route, Operation>()
  read.set(schema, known)
  const operation = known.get(route) ?? parseOperation(route, schema)
  known.set(route, operation)
  return operation
}

const placeOf = ({ method, path }: Route) => `${method} ${path}`

function parseOperation(route: Route, schema: GraphQLSchema): Operation {
  const document = parse(route.document, { noLocation: true })
  const definitions = document.definitions.filter((node) => node.kind === Kind.OPERATION_DEFINITION)
  const [definition] = definitions
  if (definition === undefined || definitions.length > 1) throw new Error(`${placeOf(route)}: expected one operation`)
  const bodyIsRoot = definition.selectionSet.selections.some(
    (node) => node.kind === Kind.FIELD && (node.alias ?? node.name).value === 'body',
  )
  const isWrite = definition.operation === OperationTypeNode.MUTATION
  return { route, document, definition, variables: variableTypes(definition, schema), isWrite, bodyIsRoot }
}

function variableTypes(definition: OperationDefinitionNode, schema: GraphQLSchema): VariableType[] {
  const argumentsOf = givenTo(definition, schema)
  return (definition.variableDefinitions ?? []).map((node) => {
    const type = typeFromAST(schema, node.type)
    if (!isInputType(type)) throw new Error(`$${node.variable.name.value} has no input type`)
    const name = node.variable.name.value
    const required = isNonNullType(type) && node.defaultValue === undefined
    return { name, type, required, argument: argumentsOf.get(name) }
  })
}

/** The root field arguments that receive variables, by the variables' names. */
function givenTo(definition: OperationDefinitionNode, schema: GraphQLSchema): Map<string, GraphQLArgument> {
  const fields = schema.getRootType(definition.operation)?.getFields()
  const given = new Map<string, GraphQLArgument>()
  for (const node of definition.selectionSet.selections) {
    if (node.kind !== Kind.FIELD) continue
    for (const { name, value } of node.arguments ?? []) {
      const argument = fields?.[node.name.value]?.args.find((one) => one.name === name.value)
      if (argument && value.kind === Kind.VARIABLE) given.set(value.name.value, argument)
    }
  }
  return given
}
