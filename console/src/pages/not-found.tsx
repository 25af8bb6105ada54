import { Link } from '@tanstack/react-router'
import { Empty } from '../components/empty.tsx'
import { Page } from '../components/page.tsx'

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty action={<Link to="/search">Go to search</Link>}>There is no page at this address.</Empty>
    </Page>
  )
}
