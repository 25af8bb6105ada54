import { Button } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { counted, durationText } from '../../components/words.ts'
import { useChange } from '../../graphql/hooks.ts'
import { type EvaluationRunFragment, PublishReportDocument } from './generated/graphql.ts'

type Entry = NonNullable<EvaluationRunFragment['report']>['evals'][number]

export interface ReportProps {
  run: EvaluationRunFragment
  onContinue(): void
  isRunning: boolean
}

/** The figures of one run, with their intervals. */
export function Report({ run, onContinue, isRunning }: ReportProps) {
  const publish = useChange(PublishReportDocument)
  const { report } = run
  return (
    <section aria-label="Report" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="flex-1">
          Run of <When at={run.startedAt} />
        </h2>
        {!report && (
          <Button busy={isRunning} onClick={onContinue}>
            Continue
          </Button>
        )}
        {report && !run.publishedAt && (
          <Button busy={publish.isPending} onClick={() => publish.mutate({ run: run.id })}>
            Publish
          </Button>
        )}
      </div>
      {publish.error && <Problem error={publish.error} />}
      {!report && (
        <p className="text-muted">
          {run.asked} of {counted(run.total, 'query', 'queries')} have run. There is a report once all have.
        </p>
      )}
      {report && report.degraded > 0 && (
        <p className="text-warn">
          ! Part of the service failed during {counted(report.degraded, 'query', 'queries')}: these figures are too low.
        </p>
      )}
      {report && <Table label="Metrics" columns={columns} rows={report.evals} rowKey={({ metric }) => metric} />}
      {report && (
        <p className="text-small text-muted">
          {report.benchmarks
            .map(
              ({ operation, p50Ms, p95Ms }) =>
                `${operation}: median ${durationText(p50Ms)}, 95 % within ${durationText(p95Ms)}`,
            )
            .join('; ')}
        </p>
      )}
    </section>
  )
}

const columns: readonly Column<Entry>[] = [
  { title: 'Metric', cell: ({ metric }) => metric.replaceAll('_', ' ') },
  { title: 'Mean', width: '96px', align: 'end', cell: ({ mean }) => mean.toFixed(3) },
  {
    title: '95 % interval',
    width: '144px',
    align: 'end',
    cell: ({ low, high }) => `${low.toFixed(3)} to ${high.toFixed(3)}`,
  },
  { title: 'Queries', width: '96px', align: 'end', cell: ({ queries }) => queries },
]
