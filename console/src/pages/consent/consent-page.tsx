import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'

/** Where people can sign in, the service answers with a page of its own instead. */
export const ConsentPage = () => (
  <Page title="Connect an agent">
    <Empty action={<PageLink to="/access/keys">Make a key</PageLink>}>
      People cannot sign in to this service, so an agent connects with a key.
    </Empty>
  </Page>
)
