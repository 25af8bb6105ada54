import { Empty } from '../../components/empty.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { usePages } from '../../graphql/pages.ts'
import type { ServiceError } from '../../graphql/service-error.ts'
import { useViewedPlace } from '../../session/session.tsx'
import {
  type ListedUnitFragment,
  ListedUnitsAsDocument,
  type ListedUnitsAsQuery,
  ListedUnitsDocument,
  type ListedUnitsQuery,
} from './generated/graphql.ts'

const pick = ({ units }: ListedUnitsQuery) => (units ? { ...units, rows: units.units } : null)
const pickViewed = ({ unitsAs }: ListedUnitsAsQuery) => (unitsAs ? { ...unitsAs, rows: unitsAs.units } : null)
const filtersOf = (docId: string | undefined) => (docId === undefined ? null : { docId: [docId] })

/** Units in the order in which they came in. `docId`: those of one document. */
export function UnitsTable({ docId }: { docId: string | undefined }) {
  const list = usePages(ListedUnitsDocument, { filters: filtersOf(docId), limit: 100 }, pick)
  return <UnitRows {...list} isFiltered={docId !== undefined} />
}

/** Those that both the principal `as` and the caller may read. */
export function ViewedUnitsTable({ as, docId }: { as: string; docId: string | undefined }) {
  const variables = { principalId: as, filters: filtersOf(docId), limit: 100 }
  const list = usePages(ListedUnitsAsDocument, variables, pickViewed)
  useViewedPlace(list.last?.unitsAs?.context)
  return <UnitRows {...list} isFiltered={docId !== undefined} />
}

interface UnitRowsProps {
  rows: readonly ListedUnitFragment[]
  count: number
  isPending: boolean
  isStale: boolean
  isFiltered: boolean
  error: ServiceError | null
  refetch(): unknown
  onEnd(): void
}

function UnitRows({ rows, count, isPending, isStale, isFiltered, error, refetch, onEnd }: UnitRowsProps) {
  if (error) return <Problem error={error} onRetry={refetch} />
  if (isPending) return <Skeleton rows={12} />
  if (rows.length === 0) {
    const action = <PageLink to="/documents">Documents</PageLink>
    return isFiltered ? (
      <Empty action={action}>No Unit belongs to a document of this id.</Empty>
    ) : (
      <Empty>No Units.</Empty>
    )
  }
  return (
    <Table
      label="Units"
      columns={columns}
      rows={rows}
      rowKey={({ unitId }) => unitId}
      count={count}
      onEnd={onEnd}
      stale={isStale}
    />
  )
}

const columns: readonly Column<ListedUnitFragment>[] = [
  {
    title: 'Unit',
    width: 'minmax(176px, 3fr)',
    cell: ({ unitId, title, text }) => (
      <PageLink to="/view" search={{ unit: unitId }}>
        <SafeText>{(text || title || unitId).slice(0, 200)}</SafeText>
      </PageLink>
    ),
  },
  { title: 'Document', cell: ({ docId }) => <SafeText>{docId ?? ''}</SafeText> },
  { title: 'Scope', cell: ({ scope }) => <SafeText>{scope}</SafeText> },
  { title: 'Plane', width: '104px', cell: ({ plane }) => plane.replace('_', ' ') },
  { title: 'Kind', width: '136px', cell: ({ modality }) => modality.replace('_', ' ') },
  { title: 'Written', width: '192px', cell: ({ createdAt }) => <time>{new Date(createdAt).toLocaleString()}</time> },
]
