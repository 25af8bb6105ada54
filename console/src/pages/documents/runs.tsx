import { Button } from '../../components/button.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { RetryDocumentsDocument, type RunFragment } from './generated/graphql.ts'
import type { Sending } from './use-uploads.ts'

export interface RunsProps {
  runs: readonly RunFragment[]
  sending: readonly Sending[]
  onChange(run: RunFragment): void
  onDrop(id: number): void
}

/** How far files are on their way in. The newest of many are shown. */
export function Runs({ runs, sending, onChange, onDrop }: RunsProps) {
  const retry = useChange(RetryDocumentsDocument)
  const again = async (documentIds: string[]) => {
    const { retryDocuments } = await retry.mutateAsync({ documentIds })
    for (const run of retryDocuments ?? []) onChange(run)
  }
  const failed = runs.filter(({ status }) => status === 'failed').map(({ documentId }) => documentId)
  if (runs.length === 0 && sending.length === 0) return null
  return (
    <section aria-label="Runs" className="flex flex-col gap-2 rounded-surface border border-line bg-surface px-4 py-3">
      <div className="flex min-h-8 items-center gap-3">
        <h2 className="flex-1">Runs</h2>
        {failed.length > 1 && (
          <Button busy={retry.isPending} onClick={() => void again(failed.slice(0, 1_000)).catch(() => undefined)}>
            Try all {failed.length} again
          </Button>
        )}
      </div>
      {retry.error && <Problem error={retry.error} />}
      <ul className="flex max-h-64 flex-col gap-2 overflow-y-auto">
        {sending.map((item) => (
          <SendingItem key={item.id} item={item} onDrop={() => onDrop(item.id)} />
        ))}
        {runs.slice(0, 50).map((run) => (
          <Run
            key={run.documentId}
            run={run}
            onRetry={() => void again([run.documentId]).catch(() => undefined)}
            busy={retry.isPending}
          />
        ))}
      </ul>
    </section>
  )
}

function SendingItem({ item, onDrop }: { item: Sending; onDrop(): void }) {
  const { name, share, error, again } = item
  if (error) {
    return (
      <li className="flex flex-col gap-1">
        <SafeText className="font-strong">{name}</SafeText>
        <Problem error={error} onRetry={again}>
          <Button onClick={onDrop}>Leave it out</Button>
        </Problem>
      </li>
    )
  }
  return (
    <li className="flex flex-wrap items-center gap-3">
      <SafeText className="min-w-0 flex-1 truncate">{name}</SafeText>
      <progress aria-label={`Upload of ${name}`} max={1} value={share} className="w-40" />
      <span className="w-24 text-right text-muted">{Math.round(share * 100)} % sent</span>
    </li>
  )
}

const words = { queued: 'waiting', running: 'being read', ready: 'ready', failed: 'failed' } as const
const looks = { queued: 'text-muted', running: 'text-muted', ready: 'text-ok', failed: 'text-danger' } as const

function Run({ run, onRetry, busy }: { run: RunFragment; onRetry(): void; busy: boolean }) {
  const { name, status, units, reason, detail } = run
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <SafeText className="min-w-0 flex-1 truncate">{name}</SafeText>
      <span className={looks[status]}>
        {words[status]}
        {status === 'ready' && `, ${units} ${units === 1 ? 'Unit' : 'Units'}`}
        {status === 'failed' && reason && `: ${reason.replaceAll('_', ' ')}`}
      </span>
      {status === 'failed' && (
        <Button busy={busy} onClick={onRetry}>
          Try again
        </Button>
      )}
      {(reason === 'quota_exceeded' || reason === 'upgrade_required') && (
        <PageLink to="/usage" className="underline">
          See plans
        </PageLink>
      )}
      {detail && (
        <p className="w-full text-small text-muted">
          <SafeText>{detail}</SafeText>
        </p>
      )}
    </li>
  )
}
