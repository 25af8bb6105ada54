import { useLocation } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { CopyAs } from '../../components/copy-as.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useIsLoading } from '../../graphql/hooks.ts'
import type { TypedDocument } from '../../graphql/transport.ts'
import { useIsAdmin } from '../../session/session.tsx'
import { accessParts } from '../../shell/pages.ts'
import { Explain } from './explain.tsx'
import {
  ApiKeysDocument,
  EverybodyDocument,
  GrantsDocument,
  GroupsDocument,
  InvitationsDocument,
  PrincipalsDocument,
} from './generated/graphql.ts'
import { Grants } from './grants.tsx'
import { Groups } from './groups.tsx'
import { Invitations } from './invitations.tsx'
import { Keys } from './keys.tsx'
import { Members } from './members.tsx'
import { Principals } from './principals.tsx'

interface Part {
  Content: ComponentType
  /** What the part asks the service, where `Copy as` is beside the heading. */
  list?: TypedDocument<unknown, { limit: number }>
}

const members: Part = { Content: Members, list: EverybodyDocument }
const parts: Readonly<Record<string, Part>> = {
  members,
  principals: { Content: Principals, list: PrincipalsDocument },
  grants: { Content: Grants, list: GrantsDocument },
  groups: { Content: Groups, list: GroupsDocument },
  invitations: { Content: Invitations, list: InvitationsDocument },
  keys: { Content: Keys, list: ApiKeysDocument },
  explain: { Content: Explain },
}

/** Who may do what, in tables, and the forms that change it in place. */
export function AccessPage() {
  const chosen = useLocation({ select: ({ pathname }) => pathname.split('/')[2] ?? 'members' })
  const { Content, list } = parts[chosen] ?? members
  const isLoading = useIsLoading()
  const isAdmin = useIsAdmin()
  // Nothing of it moves once it is known who asks.
  if (isAdmin === null)
    return (
      <Page title="Access" busy>
        <Skeleton rows={8} />
      </Page>
    )
  // Everyone has keys of their own.
  const shown = Object.entries(accessParts).filter(([path]) => isAdmin || path === 'keys')
  const mayOpen = isAdmin || chosen === 'keys'
  return (
    <Page
      title="Access"
      busy={isLoading}
      actions={mayOpen && list && <CopyAs key={chosen} document={list} variables={{ limit: 100 }} />}
    >
      <nav aria-label="Access" className="flex flex-wrap gap-1 border-b border-line pb-2">
        {shown.map(([path, name]) => (
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
      {mayOpen ? <Content /> : <AdminsOnly />}
    </Page>
  )
}
