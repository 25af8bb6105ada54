import { type GraphQLOutputType, getNamedType, isInterfaceType, isLeafType, isObjectType } from 'graphql'

/** Selects every field of the answer. */
export function selectionOf(output: GraphQLOutputType, depth = 0): string {
  const type = getNamedType(output)
  if (isLeafType(type)) return ''
  if (!isObjectType(type) && !isInterfaceType(type)) return '{ __typename }'
  const fields = Object.values(type.getFields()).filter((field) => isLeafType(getNamedType(field.type)) || depth < 6)
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(field.type, depth + 1)}`).join(' ')} }`
}
