import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { scopeTitle } from '../../components/words.ts'
import { useChange } from '../../graphql/hooks.ts'
import { usePages } from '../../graphql/pages.ts'
import { Changes } from './changes.tsx'
import { DeleteGoldenQueriesDocument, GoldenQueriesDocument, type GoldenQueriesQuery } from './generated/graphql.ts'
import type { RunScores } from './use-runner.ts'

type GoldenQuery = NonNullable<GoldenQueriesQuery['goldenQueries']>['queries'][number]

const pick = ({ goldenQueries }: GoldenQueriesQuery) =>
  goldenQueries ? { ...goldenQueries, rows: goldenQueries.queries } : null

/** Queries whose hits are known, and what runs in this browser changed. */
export function GoldenQueries({ finished }: { finished: readonly RunScores[] }) {
  const list = usePages(GoldenQueriesDocument, {}, pick)
  const remove = useChange(DeleteGoldenQueriesDocument)
  const columns: readonly Column<GoldenQuery>[] = [
    {
      title: 'Query',
      cell: ({ q, scope }) => (
        <PageLink to="/search" search={{ q, ...(scope ? { scope } : {}) }}>
          <SafeText>{q === '' ? '(by filters)' : q}</SafeText>
        </PageLink>
      ),
    },
    {
      title: 'Scope',
      width: '160px',
      cell: ({ scope }) => <SafeText>{scope ? scopeTitle(scope) : 'default'}</SafeText>,
    },
    {
      title: 'Expected Units',
      width: '144px',
      align: 'end',
      cell: ({ expectedUnitIds, expectedExternalIds }) => expectedUnitIds.length + expectedExternalIds.length,
    },
    { title: 'Expected answers', width: '152px', align: 'end', cell: ({ expectedAnswers }) => expectedAnswers.length },
    {
      title: 'Change',
      width: '96px',
      cell: ({ id, q }) => (
        <ConfirmButton
          look="row"
          aria-label={`Delete ${q}`}
          question="Delete golden query"
          what={`“${q}” is no longer measured, and what it should find is forgotten.`}
          busy={remove.isPending}
          onClick={() => remove.mutate({ ids: [id] })}
        >
          Delete
        </ConfirmButton>
      ),
    },
  ]
  return (
    <>
      <Changes runs={finished} queries={list.rows} />
      <section aria-label="Golden queries" className="flex flex-col gap-3">
        <h2>Golden queries</h2>
        {remove.error && <Problem error={remove.error} />}
        {list.error && <Problem error={list.error} onRetry={list.refetch} />}
        {list.isPending && !list.error && <Skeleton rows={4} />}
        {!list.isPending && !list.error && list.rows.length === 0 && (
          <Empty action={<PageLink to="/search">Search</PageLink>}>
            None yet. Search, and press “Keep as golden query” below a hit that the query should find.
          </Empty>
        )}
        {list.rows.length > 0 && (
          <Table
            label="Golden queries"
            columns={columns}
            rows={list.rows}
            rowKey={({ id }) => id}
            count={list.count}
            onEnd={list.onEnd}
            stale={list.isStale}
          />
        )}
      </section>
    </>
  )
}
