import { useLocation, useNavigate } from '@tanstack/react-router'
import { Empty } from '../../components/empty.tsx'
import { Front } from '../../components/front.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { scopeTitle } from '../../components/words.ts'
import { useGraphql } from '../../graphql/hooks.ts'
import { Accept } from './accept.tsx'
import { OfferDocument } from './generated/graphql.ts'

/** What an invitation offers, and how to accept it. Its token stands in the fragment alone. */
export function JoinPage() {
  const token = useLocation({ select: ({ hash }) => hash })
  const navigate = useNavigate()
  const { data, error, refetch } = useGraphql(OfferDocument, { token })
  const offer = data?.invitation
  return (
    <Front>
      <Page title="Invitation" busy={!offer && !error}>
        {error?.status === 404 ? (
          <Empty>This link does not work: it was used or revoked, or its time ran out. Ask for a new one.</Empty>
        ) : error ? (
          <Problem error={error} onRetry={refetch} />
        ) : !offer ? (
          <Skeleton rows={5} height={44} />
        ) : (
          <>
            <p>
              <SafeText>{offer.createdByName ?? offer.createdBy}</SafeText> invites you to this namespace.
            </p>
            <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-surface border border-line bg-surface p-4">
              {[
                ['Namespace', offer.namespace],
                ['Scope', scopeTitle(offer.scope)],
                ['Permissions', offer.perms.join(', ')],
                ['From', offer.createdByName ?? offer.createdBy],
                [
                  'Valid until',
                  new Date(offer.expiresAt).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'long' }),
                ],
              ].map(([name, value]) => (
                <div key={name} className="contents">
                  <dt className="text-muted">{name}</dt>
                  <dd className="min-w-0 break-words">
                    <SafeText>{value ?? ''}</SafeText>
                  </dd>
                </div>
              ))}
            </dl>
            <Accept
              token={token}
              onJoined={(namespace) => navigate({ to: '/search', search: { namespace }, hash: '' })}
            />
          </>
        )}
      </Page>
    </Front>
  )
}
