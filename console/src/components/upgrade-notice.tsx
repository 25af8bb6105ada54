import type { ReactNode } from 'react'
import { PageLink } from './page-link.tsx'
import { RequestId } from './request-id.tsx'
import { SafeText } from './safe-text.tsx'

export interface UpgradeNoticeProps {
  detail: string
  tier: string | null
  requestId: string | null
  /** What to do beside changing the plan. */
  children?: ReactNode
}

/** Something that another tier includes, said where it happens. */
export function UpgradeNotice({ detail, tier, requestId, children }: UpgradeNoticeProps) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-surface border border-warn bg-surface px-4 py-3"
    >
      <div className="min-w-0 flex-1">
        <p>
          <SafeText>{detail}</SafeText>
        </p>
        {tier !== null && <p>Included from {tier} on.</p>}
        <RequestId id={requestId} />
      </div>
      <PageLink to="/usage" className="underline">
        See plans
      </PageLink>
      {children}
    </div>
  )
}
