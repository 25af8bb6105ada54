import { Button } from '../../components/button.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { counted, durationText, sizeText } from '../../components/words.ts'
import { useChange } from '../../graphql/hooks.ts'
import { RetryDocumentsDocument, type RunFragment } from './generated/graphql.ts'
import { useDismissed } from './use-dismissed.ts'
import type { Sending } from './use-uploads.ts'

export interface RunsProps {
  runs: readonly RunFragment[]
  sending: readonly Sending[]
  onChange(run: RunFragment): void
  onDrop(ids: readonly number[]): void
  /** Asks where they go, and sends them again. */
  onAgain(items: readonly Sending[]): void
}

/** How far files are on their way in. The newest of many are shown. */
export function Runs({ sending, onChange, onDrop, onAgain, ...props }: RunsProps) {
  const retry = useChange(RetryDocumentsDocument, '*')
  const { isDismissed, dismiss } = useDismissed()
  const runs = props.runs.filter((run) => !isDismissed(run))
  const again = (failed: readonly RunFragment[]) => {
    const documentIds = failed.slice(0, 1_000).map(({ documentId }) => documentId)
    retry.mutate({ documentIds }, { onSuccess: ({ retryDocuments }) => retryDocuments?.forEach(onChange) })
  }
  const failed = runs.filter(({ status }) => status === 'failed')
  const unsent = sending.filter(({ stage }) => stage === 'failed')
  const isEmpty = runs.length === 0 && sending.length === 0
  return (
    <section
      aria-label="Runs"
      className="flex flex-col gap-2 rounded-surface border border-line bg-surface px-4 py-1.5"
    >
      <div className="flex min-h-8 flex-wrap items-center gap-2">
        <h2 className={isEmpty ? '' : 'flex-1'}>Runs</h2>
        {isEmpty && <span className="text-muted">No file is on its way, and none has failed.</span>}
        {unsent.length > 1 && <Button onClick={() => onAgain(unsent)}>Send all {unsent.length} again</Button>}
        {failed.length > 1 && (
          <Button busy={retry.isPending} onClick={() => again(failed)}>
            Try all {failed.length} again
          </Button>
        )}
        {failed.length + unsent.length > 1 && (
          <Button
            look="quiet"
            onClick={() => {
              dismiss(failed)
              onDrop(unsent.map(({ id }) => id))
            }}
          >
            Dismiss all failures
          </Button>
        )}
      </div>
      {retry.error && <Problem error={retry.error} />}
      {!isEmpty && (
        <ul tabIndex={0} aria-label="Files on their way" className="flex max-h-72 flex-col gap-2 overflow-y-auto">
          {sending.slice(0, 50).map((item) => (
            <SendingItem key={item.id} item={item} onDrop={() => onDrop([item.id])} onAgain={() => onAgain([item])} />
          ))}
          {sending.length > 50 && (
            <li className="text-muted">and {counted(sending.length - 50, 'more file waits', 'more files wait')}</li>
          )}
          {runs.slice(0, 50).map((run) => (
            <Run
              key={run.documentId}
              run={run}
              onRetry={() => again([run])}
              onDismiss={() => dismiss([run])}
              busy={retry.isPending}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function SendingItem({ item, onDrop, onAgain }: { item: Sending; onDrop(): void; onAgain(): void }) {
  const { name, file, stage, sent, left, error } = item
  if (stage === 'failed') {
    return (
      <li className="flex flex-col gap-1">
        <SafeText className="font-strong">{name}</SafeText>
        <Problem error={error} onRetry={onAgain}>
          <Button onClick={onDrop}>Dismiss</Button>
        </Problem>
      </li>
    )
  }
  const share = Math.min(1, sent / file.size)
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <SafeText className="min-w-0 flex-[1_1_240px] truncate">{name}</SafeText>
      {stage === 'waiting' ? (
        <span className="text-muted">waiting, {sizeText(file.size)}</span>
      ) : (
        <>
          <progress aria-label={`Upload of ${name}`} max={1} value={share} className="w-32" />
          <span className="text-muted">
            sending, {sizeText(Math.min(sent, file.size))} of {sizeText(file.size)}
            {left !== null && left >= 1 && `, ${leftText(left)} left`}
          </span>
        </>
      )}
      <Button look="row" aria-label={`Stop ${name}`} onClick={onDrop}>
        Stop
      </Button>
    </li>
  )
}

const leftText = (seconds: number) =>
  seconds < 90 ? durationText(Math.round(seconds) * 1_000).replace('.0', '') : `${Math.round(seconds / 60)} min`

const words = { queued: 'waiting to be read', running: 'being read', ready: 'ready', failed: 'failed' } as const
const looks = { queued: 'text-muted', running: 'text-muted', ready: 'text-ok', failed: 'text-danger' } as const

interface RunProps {
  run: RunFragment
  onRetry(): void
  onDismiss(): void
  busy: boolean
}

function Run({ run, onRetry, onDismiss, busy }: RunProps) {
  const { name, scope, bytes, status, units, reason, detail } = run
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="flex min-w-0 flex-[1_1_240px] gap-2">
        <SafeText className="min-w-0 truncate">{name}</SafeText>
        <span className="shrink-0 text-muted">
          {sizeText(bytes)} in <SafeText>{scope}</SafeText>
        </span>
      </span>
      <span className={looks[status]}>
        {words[status]}
        {status === 'ready' && `, ${counted(units, 'Unit')}`}
        {status === 'failed' && reason && `: ${reason.replaceAll('_', ' ')}`}
      </span>
      {status === 'failed' && (
        <>
          <Button busy={busy} onClick={onRetry}>
            Try again
          </Button>
          <Button look="quiet" onClick={onDismiss}>
            Dismiss
          </Button>
        </>
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
