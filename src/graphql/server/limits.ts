import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

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
