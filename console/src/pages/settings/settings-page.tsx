import { CopyAs } from '../../components/copy-as.tsx'
import { Page } from '../../components/page.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useSession } from '../../session/session.tsx'
import { ScopesDocument, SettingsDocument } from './generated/graphql.ts'
import { NamespaceSettings, useOwnNamespace } from './namespace-settings.tsx'
import { NewNamespace } from './new-namespace.tsx'
import { Scopes, useScopes } from './scopes.tsx'

export function SettingsPage() {
  const { context, error } = useSession()
  const own = useOwnNamespace()
  const scopes = useScopes()
  // How tall the parts are depends on all three answers: none is shown above or below one that may still grow.
  const isLoading = (context === null && error === null) || own.isLoading || scopes.isPending
  return (
    <Page title="Settings" busy={isLoading} actions={<CopySettings />}>
      {isLoading && <Skeleton rows={12} />}
      {!isLoading && (
        <>
          <NamespaceSettings own={own} />
          <Scopes list={scopes} />
          <NewNamespace />
        </>
      )}
    </Page>
  )
}

/** What the namespace is, only its admins may ask. */
function CopySettings() {
  const { namespace, context } = useSession()
  if (context === null) return null
  if (!context.perms.includes('admin')) return <CopyAs document={ScopesDocument} variables={{}} />
  return <CopyAs document={SettingsDocument} variables={{ name: namespace }} />
}
