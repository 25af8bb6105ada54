import { useNavigate } from '@tanstack/react-router'
import { Combobox } from '../components/combobox.tsx'
import { scopeTitle } from '../components/words.ts'
import { useGraphql } from '../graphql/hooks.ts'
import { NamespacesDocument } from '../session/generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { type UrlSearch, useSetUrl } from '../session/url.ts'

/** Where the page looks: always in sight, with what is in reach. */
export function Pickers() {
  const { namespace, scope, scopes, context } = useSession()
  const set = useSetUrl()
  const navigate = useNavigate()
  const { data } = useGraphql(NamespacesDocument, {}, { enabled: context !== null, selection: {} })
  const namespaces = data?.namespaces?.namespaces.map((one) => one.namespace) ?? []
  // Whatever else the URL says is about what lies in the former namespace; the question stays.
  const enter = (next: string) => navigate({ to: '.', search: ({ q }: UrlSearch) => ({ namespace: next, q }) })
  return (
    <>
      <Combobox
        label="Namespace"
        items={namespaces}
        value={namespace}
        onChange={enter}
        className="w-44 flex-1 wide:flex-none broad:w-80"
      />
      <Combobox
        label="Scope"
        items={['*', ...scopes]}
        wordsOf={scopeTitle}
        value={scope}
        onChange={(next) => set({ scope: next, cursor: undefined })}
        className="w-52 flex-1 wide:flex-none"
      />
    </>
  )
}
