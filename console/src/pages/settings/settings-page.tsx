import { CopyAs } from '../../components/copy-as.tsx'
import { Page } from '../../components/page.tsx'
import { useSession } from '../../session/session.tsx'
import { ScopesDocument, SettingsDocument } from './generated/graphql.ts'
import { NamespaceSettings } from './namespace-settings.tsx'
import { NewNamespace } from './new-namespace.tsx'
import { Scopes } from './scopes.tsx'

export function SettingsPage() {
  return (
    <Page title="Settings" actions={<CopySettings />}>
      <NamespaceSettings />
      <Scopes />
      <NewNamespace />
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
