import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

/** The limits of one GraphQL document. Fragments count at every spread. */
export interface GraphqlLimits {
  /** Levels of fields. Introspection is exempt: graphql-js limits its recursion itself. */
  maxDepth: number
  maxAliases: number
  /** Selected fields, not multiplied by list lengths. */
  maxFields: number
  maxTokens: number
}

export const defaultLimits: GraphqlLimits = { maxDepth: 12, maxAliases: 30, maxFields: 1_000, maxTokens: 5_000 }

interface Size {
  depth: number
  aliases: number
  fields: number
}

const nothing: Size = { depth: 0, aliases: 0, fields: 0 }

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
    const { depth, aliases, fields } = size
    if (depth > limits.maxDepth) errors.push(tooMuch(`the query must be at most ${limits.maxDepth} levels deep`))
    if (aliases > limits.maxAliases) errors.push(tooMuch(`the query must have at most ${limits.maxAliases} aliases`))
    if (fields > limits.maxFields) errors.push(tooMuch(`the query must select at most ${limits.maxFields} fields`))
  }
  return errors
}

const tooMuch = (message: string) => new GraphQLError(message, { extensions: { code: 'bad_request', status: 400 } })

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
        depth: Math.max(total.depth, size.depth),
        aliases: total.aliases + size.aliases,
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
    return {
      depth: introspects ? 1 : below.depth + 1,
      aliases: below.aliases + (node.alias === undefined ? 0 : 1),
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
