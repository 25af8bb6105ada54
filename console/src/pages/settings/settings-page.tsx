import { Page } from '../../components/page.tsx'
import { NamespaceSettings } from './namespace-settings.tsx'
import { NewNamespace } from './new-namespace.tsx'
import { Scopes } from './scopes.tsx'

export function SettingsPage() {
  return (
    <Page title="Settings">
      <NamespaceSettings />
      <Scopes />
      <NewNamespace />
    </Page>
  )
}
