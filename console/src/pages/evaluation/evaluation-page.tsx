import { AdminsOnly } from '../../components/admins-only.tsx'
import { Button } from '../../components/button.tsx'
import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { counted, scopeTitle } from '../../components/words.ts'
import { usePages } from '../../graphql/pages.ts'
import { useIsAdmin } from '../../session/session.tsx'
import { useUrl } from '../../session/url.ts'
import { type EvaluationRunFragment, EvaluationRunsDocument, type EvaluationRunsQuery } from './generated/graphql.ts'
import { GoldenQueries } from './golden-queries.tsx'
import { Report } from './report.tsx'
import { Trend } from './trend.tsx'
import { useRunner } from './use-runner.ts'

const pick = ({ evaluationRuns }: EvaluationRunsQuery) =>
  evaluationRuns ? { ...evaluationRuns, rows: evaluationRuns.runs } : null

export function EvaluationPage() {
  const { get } = useUrl()
  const isAdmin = useIsAdmin()
  const runs = usePages(EvaluationRunsDocument, {}, pick, { enabled: isAdmin === true })
  const runner = useRunner()
  const chosen = runs.rows.find(({ id }) => id === get('run')) ?? runs.rows.find(({ report }) => report)
  if (isAdmin === false || runs.error?.status === 403) {
    return (
      <Page title="Evaluation">
        <AdminsOnly />
      </Page>
    )
  }
  return (
    <Page
      title="Evaluation"
      busy={runs.isFetching || isAdmin === null}
      actions={
        <>
          {runner.isRunning ? (
            <Button onClick={runner.stop}>Stop</Button>
          ) : (
            <Button onClick={() => runner.start(undefined)}>Run all golden queries</Button>
          )}
          <CopyAs document={EvaluationRunsDocument} variables={{}} />
        </>
      }
    >
      {runner.error && <Problem error={runner.error} onRetry={() => runner.start(runner.run?.id)} />}
      {runner.isRunning && runner.run && <Progress {...runner.run} />}
      {runs.error && <Problem error={runs.error} onRetry={runs.refetch} />}
      {runs.isPending && !runs.error && <Skeleton rows={8} />}
      {chosen && <Report run={chosen} onContinue={() => runner.start(chosen.id)} isRunning={runner.isRunning} />}
      <Trend runs={runs.rows} />
      {!runs.isPending && !runs.error && <Runs runs={runs} />}
      {/* Below runs that still come it would move. */}
      {!runs.isPending && <GoldenQueries finished={runner.finished} />}
    </Page>
  )
}

function Progress({ asked, total }: EvaluationRunFragment) {
  return (
    <label className="flex items-center gap-3">
      <span>
        {asked} of {counted(total, 'query', 'queries')}
      </span>
      <progress className="flex-1" value={asked} max={total} />
    </label>
  )
}

function Runs({ runs }: { runs: ReturnType<typeof usePages<EvaluationRunsQuery, object, EvaluationRunFragment>> }) {
  if (runs.rows.length === 0) {
    return <Empty>No run yet. Keep golden queries, then run them to see how well they find what they should.</Empty>
  }
  return (
    <Table
      label="Runs"
      columns={columns}
      rows={runs.rows}
      rowKey={({ id }) => id}
      count={runs.count}
      onEnd={runs.onEnd}
    />
  )
}

const columns: readonly Column<EvaluationRunFragment>[] = [
  {
    title: 'Started',
    width: '208px',
    cell: ({ id, startedAt }) => (
      <PageLink to="/evaluation" search={{ run: id }}>
        <When at={startedAt} />
      </PageLink>
    ),
  },
  { title: 'Scope', cell: ({ scope }) => <SafeText>{scope ? scopeTitle(scope) : 'of each query'}</SafeText> },
  { title: 'Queries', width: '104px', align: 'end', cell: ({ asked, total }) => `${asked} of ${total}` },
  { title: 'nDCG@10', width: '104px', align: 'end', cell: (run) => figureOf(run, 'ndcg@10') },
  { title: 'Recall@50', width: '104px', align: 'end', cell: (run) => figureOf(run, 'recall@50') },
  { title: 'Faithfulness', width: '128px', align: 'end', cell: (run) => figureOf(run, 'faithfulness') },
  { title: 'State', width: '128px', cell: stateOf },
]

function figureOf({ report }: EvaluationRunFragment, metric: string): string {
  return report?.evals.find((entry) => entry.metric === metric)?.mean.toFixed(3) ?? ''
}

function stateOf({ publishedAt, finishedAt }: EvaluationRunFragment): string {
  if (publishedAt) return 'published'
  return finishedAt ? 'finished' : 'not finished'
}
