import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'

export function ConsentPage() {
  return (
    <Page title="Connect an agent">
      <Empty>This page is not here yet. The API has what it will show.</Empty>
    </Page>
  )
}
