import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

/** A document with one operation, and its schema. */
export interface Prepared {
  schema: GraphQLSchema
  operation: OperationDefinitionNode
  fragments: Readonly<Record<string, FragmentDefinitionNode>>
}

/** A selected field; several nodes may select the same one. */
export interface SelectedField {
  /** The alias, else the name. */
  key: string
  nodes: readonly [FieldNode, ...FieldNode[]]
  /** `Type.field`, for errors. */
  place: string
  field: GraphQLField<unknown, unknown>
}

/** The fields that selections take of an object type, in order. Throws for a document that cannot be prepared. */
export function selectedFields(
  { schema, fragments }: Prepared,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
): SelectedField[] {
  const found = new Map<string, [FieldNode, ...FieldNode[]]>()

  function collect({ selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (node.directives?.length) throw new Error('a prepared operation has no directives')
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value
        const nodes = found.get(key)
        if (nodes) nodes.push(node)
        else found.set(key, [node])
        continue
      }
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments[node.name.value] : node
      if (fragment && isOn(fragment.typeCondition?.name.value)) collect(fragment.selectionSet)
    }
  }

  function isOn(condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true
    const other = schema.getType(condition)
    return isAbstractType(other) && schema.isSubType(other, type)
  }

  for (const set of sets) collect(set)
  return [...found].map(([key, nodes]) => {
    const name = nodes[0].name.value
    const field = type.getFields()[name]
    if (!field) throw new Error(`a prepared operation selects ${type.name}.${name}, which is not a declared field`)
    return { key, nodes, field, place: `${type.name}.${name}` }
  })
}
