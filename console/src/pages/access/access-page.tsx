import { useLocation } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Explain } from './explain.tsx'
import { Grants } from './grants.tsx'
import { Groups } from './groups.tsx'
import { Invitations } from './invitations.tsx'
import { Keys } from './keys.tsx'
import { Members } from './members.tsx'
import { Principals } from './principals.tsx'

const parts: Readonly<Record<string, { name: string; Content: ComponentType }>> = {
  members: { name: 'Members', Content: Members },
  principals: { name: 'Principals', Content: Principals },
  grants: { name: 'Grants', Content: Grants },
  groups: { name: 'Groups', Content: Groups },
  invitations: { name: 'Invitations', Content: Invitations },
  keys: { name: 'Keys', Content: Keys },
  explain: { name: 'Explain', Content: Explain },
}

/** Who may do what, in tables, and the forms that change it in place. */
export function AccessPage() {
  const chosen = useLocation({ select: ({ pathname }) => pathname.split('/')[2] ?? 'members' })
  const Content = parts[chosen]?.Content ?? Members
  return (
    <Page title="Access">
      <nav aria-label="Access" className="flex flex-wrap gap-1 border-b border-line pb-2">
        {Object.entries(parts).map(([path, { name }]) => (
          <PageLink
            key={path}
            to={`/access/${path}`}
            aria-current={path === chosen ? 'page' : undefined}
            className={`control inline-flex items-center border-transparent no-underline ${path === chosen ? 'bg-hover font-strong' : 'bg-transparent'}`}
          >
            {name}
          </PageLink>
        ))}
      </nav>
      <Content />
    </Page>
  )
}
