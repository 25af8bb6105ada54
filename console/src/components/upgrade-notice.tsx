import { PageLink } from './page-link.tsx'
import { SafeText } from './safe-text.tsx'

/** Something that another tier includes, said where it happens. */
export function UpgradeNotice({ detail, tier }: { detail: string; tier: string | null }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-surface border border-warn bg-surface px-4 py-3"
    >
      <p className="min-w-0 flex-1">
        <SafeText>{detail}</SafeText>
        {tier !== null && <span className="text-muted"> Included from {tier} on.</span>}
      </p>
      <PageLink to="/usage">See plans</PageLink>
    </div>
  )
}
