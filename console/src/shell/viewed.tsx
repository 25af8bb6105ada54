import { Outlet, useMatches } from '@tanstack/react-router'
import { memo } from 'react'
import { Empty } from '../components/empty.tsx'
import { Page } from '../components/page.tsx'
import { useKept } from '../session/url.ts'
import { pages } from './pages.ts'

/** Pages that can show the view of another principal. */
const viewable: readonly string[] = ['/search', '/documents']

/** The page. Where it could show only the caller's own view under the name of another, it shows nothing. */
export const Viewed = memo(() => {
  // Of the page that is in sight: the location is already that of the next one while that loads.
  const pathname = useMatches({ select: (matches) => matches.at(-1)?.pathname ?? '' })
  const { as } = useKept()
  if (as === undefined || viewable.includes(pathname)) {
    // Another view starts anew: nothing of the former stays while it loads.
    return <Outlet key={as ?? ''} />
  }
  const name = pages.find(({ root }) => pathname === root || pathname.startsWith(`${root}/`))?.name ?? 'Source'
  return (
    <Page title={name}>
      <Empty>Only Search and Documents can be viewed as someone else. Press Stop to open this page as yourself.</Empty>
    </Page>
  )
})
