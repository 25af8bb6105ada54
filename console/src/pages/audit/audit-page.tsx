import { useCallback, useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { type Directory, useDirectory } from '../../components/readers/use-directory.ts'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { useChange, useGraphql } from '../../graphql/hooks.ts'
import { usePages } from '../../graphql/pages.ts'
import { useSession } from '../../session/session.tsx'
import { useUrl } from '../../session/url.ts'
import { Days } from './days.tsx'
import { AuditLogDocument, type AuditLogQuery, ExportAuditDocument } from './generated/graphql.ts'
import { filterOf, LogFilters } from './log-filters.tsx'
import { RowDetails } from './row-details.tsx'
import { type NamedRow, Sentence } from './sentences.tsx'
import { useOwnVerdict, useServiceVerdict, Verification, Verified } from './verification.tsx'

const pick = ({ audit }: AuditLogQuery) => audit ?? null

export function AuditPage() {
  const { get, set } = useUrl()
  const { namespace } = useSession()
  const filter = filterOf(get)
  const log = usePages(AuditLogDocument, { filter, limit: 100 }, pick)
  const [service, own] = [useServiceVerdict(), useOwnVerdict()]
  const exporting = useChange(ExportAuditDocument)
  const opened = Number(get('row'))
  const { row, isLoading, error, refetch } = useRow(log.rows, opened, !log.isPending)
  // Beyond the reader's own pages, which are left out unless asked for.
  const isFiltered = Object.entries(filter ?? {}).some(([name, value]) => value !== undefined && name !== 'ownReads')
  const isDoubted = service.data?.verifyAudit?.intact === false || (own.data !== undefined && 'reason' in own.data)
  const close = useCallback(() => set({ row: undefined }), [set])

  // Before that there is nothing to check, and no log to check it against.
  const canVerify = namespace !== '' && log.last !== undefined
  const verify = () => {
    service.mutate()
    const isWhole = !isFiltered && log.last?.audit?.whole === true
    const toEnd = log.last?.audit?.nextCursor == null
    const [newest, oldest] = [log.rows[0]?.seq ?? 0, log.rows.at(-1)?.seq ?? 1]
    const before = toEnd ? 0 : oldest - 1
    // Rows that are not shown come for this, so that none is missing; of a very long stretch the shown ones must do.
    const hidden = isWhole && filter !== null && newest - before <= 2_000 ? before : undefined
    const whole = isWhole && (filter === null || hidden !== undefined) ? (toEnd ? 'to end' : 'from last') : 'no'
    own.mutate({ namespace, rows: log.rows, whole, after: hidden })
  }
  const download = async () => {
    const { exportAudit } = await exporting.mutateAsync({ format: 'ndjson' })
    if (exportAudit) location.assign(exportAudit.url)
  }
  return (
    <Page
      title="Audit log"
      busy={log.isFetching || isLoading}
      actions={
        <>
          <Button onClick={verify} busy={!canVerify || service.isPending || own.isPending}>
            Verify
          </Button>
          <Button onClick={() => void download().catch(() => undefined)} busy={exporting.isPending}>
            Export
          </Button>
          <CopyAs document={AuditLogDocument} variables={{ filter, limit: 100 }} />
        </>
      }
    >
      {exporting.error && <Problem error={exporting.error} />}
      <Verification service={service} own={own} onTrust={verify}>
        <Verified
          namespace={namespace}
          checked={isDoubted ? false : service.data?.verifyAudit?.checked}
          at={service.submittedAt}
        />
      </Verification>
      <LogFilters rows={log.rows} />
      {row && <RowDetails row={row} onClose={close} />}
      {error && <Problem error={error} onRetry={refetch} />}
      {log.error ? (
        <Problem error={log.error} onRetry={log.refetch} />
      ) : (
        <Rows log={log} isLoading={isLoading} isFiltered={isFiltered} />
      )}
      {/* Last, so that nothing moves. */}
      {!log.isPending && !isLoading && !log.error && (
        <Days filter={filter} actions={log.rows.map(({ action }) => action)} />
      )}
    </Page>
  )
}

const columnsWith = (names: Directory['names']): readonly Column<NamedRow>[] => [
  {
    title: 'Row',
    width: '96px',
    cell: ({ seq }) => <OpenRow seq={seq} />,
  },
  { title: 'Time', width: '192px', cell: ({ time }) => <When at={time} /> },
  { title: 'What happened', width: 'minmax(280px, 3fr)', cell: (row) => <Sentence row={row} names={names} /> },
  { title: 'Outcome', width: '112px', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  { title: 'Principal', cell: ({ principalId }) => <SafeText>{principalId}</SafeText> },
]

/** Opens the row above the table, and leaves the filters as they are. */
function OpenRow({ seq }: { seq: number }) {
  const { search } = useUrl()
  return (
    <PageLink to="/audit" search={{ ...search, row: String(seq) }} className="after:absolute after:inset-0">
      Row {seq}
    </PageLink>
  )
}

const Outcome = ({ outcome }: { outcome: string }) => (
  <span title={outcome} className={outcome === 'ok' ? 'text-muted' : 'text-danger'}>
    <SafeText>{outcome.replaceAll('_', ' ')}</SafeText>
  </span>
)

interface RowsProps {
  log: ReturnType<typeof usePages<AuditLogQuery, object, NamedRow>>
  /** The opened row, which stands above, is still to come. */
  isLoading: boolean
  isFiltered: boolean
}

function Rows({ log, isLoading, isFiltered }: RowsProps) {
  const { names } = useDirectory()
  const columns = useMemo(() => columnsWith(names), [names])
  if (log.isPending || isLoading) return <Skeleton rows={12} />
  if (log.rows.length === 0) {
    return (
      <Empty
        action={isFiltered ? <PageLink to="/audit">Show all rows</PageLink> : <PageLink to="/search">Search</PageLink>}
      >
        {isFiltered ? 'No row has all of this.' : 'Nothing is recorded yet. Searches and changes appear here.'}
      </Empty>
    )
  }
  return (
    <Table
      label="Audit log"
      columns={columns}
      rows={log.rows}
      rowKey={({ seq }) => String(seq)}
      count={log.count}
      onEnd={log.onEnd}
      stale={log.isStale}
    />
  )
}

/** The row that the URL names: one that is listed, or the one at its place in a log of which all rows are seen. */
function useRow(rows: readonly NamedRow[], seq: number, isListed: boolean) {
  const listed = rows.find((row) => row.seq === seq)
  const isAsked = listed === undefined && isListed && seq >= 1
  const head = useGraphql(AuditLogDocument, { limit: 1 }, { enabled: isAsked })
  const count = head.data?.audit?.count ?? 0
  const cursor = Math.max(0, count - seq)
  const found = useGraphql(AuditLogDocument, { cursor, limit: 1 }, { enabled: isAsked && seq <= count })
  return {
    row: listed ?? found.data?.audit?.rows.find((row) => row.seq === seq),
    isLoading: head.isLoading || found.isLoading,
    error: isAsked ? (head.error ?? found.error) : null,
    refetch: head.error ? head.refetch : found.refetch,
  }
}
