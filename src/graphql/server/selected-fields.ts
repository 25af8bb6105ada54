import { type DocumentNode, getOperationAST, Kind, type SelectionSetNode } from 'graphql'

/** Further fields are not named: a document may have hundreds. */
const maxNamed = 10

/** The root fields that an operation runs, each once, by their schema names: the caller chooses aliases. */
export function rootFields(document: DocumentNode, operationName: string | null | undefined): string[] {
  const names = new Set<string>()
  const visited = new Set<string>()

  function collect({ selections }: SelectionSetNode): void {
    for (const node of selections) {
      if (names.size >= maxNamed) return
      if (node.kind === Kind.FIELD) names.add(node.name.value)
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet)
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value)
        const fragment = document.definitions.find(
          (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === node.name.value,
        )
        if (fragment?.kind === Kind.FRAGMENT_DEFINITION) collect(fragment.selectionSet)
      }
    }
  }

  const operation = getOperationAST(document, operationName)
  if (operation) collect(operation.selectionSet)
  return [...names]
}
