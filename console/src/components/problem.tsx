import type { ReactNode } from 'react'
import { isUpgrade, ServiceError } from '../graphql/service-error.ts'
import { Button } from './button.tsx'
import { RequestId } from './request-id.tsx'
import { SafeText } from './safe-text.tsx'
import { UpgradeNotice } from './upgrade-notice.tsx'

export interface ProblemProps {
  error: unknown
  onRetry?: (() => unknown) | undefined
  /** What to do beside trying again. */
  children?: ReactNode
}

/** An error in its place: the detail, the request, and the way on. */
export function Problem({ error, onRetry, children }: ProblemProps) {
  if (isUpgrade(error)) {
    return (
      <UpgradeNotice detail={error.message} tier={error.requiredTier} requestId={error.requestId}>
        {children}
      </UpgradeNotice>
    )
  }
  const requestId = error instanceof ServiceError ? error.requestId : null
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-surface border border-danger bg-surface px-4 py-3"
    >
      <div className="min-w-0 flex-1">
        <p>
          <SafeText>{error instanceof Error ? error.message : String(error)}</SafeText>
        </p>
        <RequestId id={requestId} />
      </div>
      {onRetry && <Button onClick={() => onRetry()}>Try again</Button>}
      {children}
    </div>
  )
}
