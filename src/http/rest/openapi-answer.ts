import {
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  GraphQLNonNull,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { described, type JsonSchema, leafSchema, wrapOutput } from './openapi-types.ts'
import type { Operation } from './operation.ts'

/** The response of a route: its selection set as a schema. The aliases are the wire names. */
export function answerSchema(operation: Operation, schema: GraphQLSchema): JsonSchema {
  const root = schema.getRootType(operation.definition.operation)
  if (!root) return {}
  const whole = createDescriber(operation, schema, root)(operation.definition.selectionSet, root)
  return operation.bodyIsRoot ? (whole.properties.body ?? {}) : { ...whole }
}

/** The root field's description says what the route does. */
export function summaryOf(operation: Operation, schema: GraphQLSchema): string {
  const root = schema.getRootType(operation.definition.operation)
  const [first] = operation.definition.selectionSet.selections
  return (first?.kind === Kind.FIELD && root?.getFields()[first.name.value]?.description) || operation.route.path
}

interface ObjectSchema {
  type: 'object'
  properties: Record<string, JsonSchema>
  required: string[]
}

function createDescriber({ document }: Operation, schema: GraphQLSchema, root: GraphQLNamedType) {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  }

  function describe(set: SelectionSetNode, type: GraphQLNamedType): ObjectSchema {
    const result: ObjectSchema = { type: 'object', properties: {}, required: [] }
    collect(set, type, true, result)
    return result
  }

  /** `certain` is false inside a fragment on one of several types: its fields may be missing. */
  function collect(set: SelectionSetNode, type: GraphQLNamedType, certain: boolean, into: ObjectSchema): void {
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) {
        const name = (node.alias ?? node.name).value
        into.properties[name] = describeField(node.name.value, node.selectionSet, type)
        if (certain && !into.required.includes(name)) into.required.push(name)
        continue
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node
      if (fragment === undefined) continue
      const on = fragment.typeCondition ? schema.getType(fragment.typeCondition.name.value) : type
      collect(fragment.selectionSet, on ?? type, certain && (on ?? type) === type && !isUnionType(type), into)
    }
  }

  function describeField(name: string, set: SelectionSetNode | undefined, parent: GraphQLNamedType): JsonSchema {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
    // `__typename` is the one field without a declaration.
    if (field === undefined) return { type: 'string' }
    const named = getNamedType(field.type)
    const value = set === undefined ? leafSchema(named) : { ...describe(set, named) }
    // A root field is null only if there is an error, and then the error is the answer.
    const type = parent === root ? new GraphQLNonNull(getNullableType(field.type)) : field.type
    return { ...wrapOutput(type, value), ...described(field) }
  }

  return describe
}
