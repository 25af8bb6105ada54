import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { type Column, Table } from '../../components/table.tsx'
import type { GoldenQueriesQuery } from './generated/graphql.ts'
import type { RunScores } from './use-runner.ts'

type GoldenQuery = NonNullable<GoldenQueriesQuery['goldenQueries']>['queries'][number]

const metric = 'ndcg@10'

interface Change {
  query: GoldenQuery
  before: number
  after: number
}

/** What each query gained or lost from one run of this browser to the next, the greatest loss first. */
export function Changes({ runs, queries }: { runs: readonly RunScores[]; queries: readonly GoldenQuery[] }) {
  const [before, after] = runs.slice(-2)
  if (before === undefined || after === undefined) return null
  const changes = queries
    .flatMap((query): Change[] => {
      const [old, next] = [before[query.id]?.[metric], after[query.id]?.[metric]]
      return old === undefined || next === undefined ? [] : [{ query, before: old, after: next }]
    })
    .toSorted((a, b) => a.after - a.before - (b.after - b.before))
  if (changes.length === 0) return null
  return (
    <section aria-label="Change by query" className="flex flex-col gap-3">
      <h2>Change by query</h2>
      <p className="text-muted">{metric} of your last two runs in this browser, the greatest loss first.</p>
      <Table label="Change by query" columns={columns} rows={changes} rowKey={({ query }) => query.id} />
    </section>
  )
}

const columns: readonly Column<Change>[] = [
  {
    title: 'Query',
    cell: ({ query: { q, scope } }) => (
      <PageLink to="/search" search={{ q, ...(scope ? { scope } : {}) }}>
        <SafeText>{q === '' ? '(by filters)' : q}</SafeText>
      </PageLink>
    ),
  },
  { title: 'Before', width: '96px', align: 'end', cell: ({ before }) => before.toFixed(3) },
  { title: 'After', width: '96px', align: 'end', cell: ({ after }) => after.toFixed(3) },
  { title: 'Change', width: '128px', align: 'end', cell: (change) => <Difference {...change} /> },
]

function Difference({ before, after }: Change) {
  const by = after - before
  if (Math.abs(by) < 0.0005) return <span className="text-muted">same</span>
  return (
    <span className={by > 0 ? 'text-ok' : 'text-danger'}>
      {by > 0 ? '▲ +' : '▼ −'}
      {Math.abs(by).toFixed(3)}
    </span>
  )
}
