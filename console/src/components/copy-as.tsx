import { curlOf, graphqlOf, postOf } from '../graphql/as-text.ts'
import type { TypedDocument } from '../graphql/transport.ts'
import { useSelection } from '../session/selection.ts'
import { useKeys } from '../shell/keys.ts'
import { copy } from './clipboard.ts'
import { Menu } from './menu.tsx'

export interface CopyAsProps<Variables> {
  document: TypedDocument<unknown, Variables>
  variables: Variables
  /** Another request to the same end, for the command. Default: the document. */
  curl?: { path: string; body: object }
}

/** Copies what the page asks the service, to ask it elsewhere. `y` copies the command. */
export function CopyAs<Variables>({ document, variables, curl }: CopyAsProps<Variables>) {
  const where = useSelection()
  const { path, body } = curl ?? { path: '/graphql', body: postOf(document, variables) }
  const copyCurl = () => void copy(curlOf(path, body, where), 'curl')
  useKeys({ y: copyCurl })
  return (
    <Menu
      label="Copy as"
      items={[
        { name: 'curl', onSelect: copyCurl },
        { name: 'GraphQL', onSelect: () => void copy(graphqlOf(document, variables), 'GraphQL') },
      ]}
    />
  )
}
