import type { GraphQLInputField, GraphQLInputObjectType } from 'graphql'
import type { InputPath } from '../../errors.ts'

/** `tStartMs` -> `t_start_ms`. */
export function toWireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** Inside this field, the caller chooses the keys. */
const opaque = 'metadata'

/** Converts a path of the domain (camelCase) to wire names. */
export function toWirePath(path: InputPath): InputPath {
  const end = path.indexOf(opaque)
  return path.map((part, i) => (typeof part === 'string' && (end < 0 || i <= end) ? toWireName(part) : part))
}

/** The fields of an input type that REST has too: the contract of /v1 does not grow with the schema. */
export const wireFieldsOf = (type: GraphQLInputObjectType): GraphQLInputField[] =>
  Object.values(type.getFields()).filter(({ extensions }) => extensions.graphqlOnly !== true)
