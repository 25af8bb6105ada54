import { Empty } from '../../components/empty.tsx'
import { type LoadedRows, useListPlace, useUrlStart } from '../../components/list-place.ts'
import { NothingIn } from '../../components/nothing-in.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { ReadersChip } from '../../components/readers/readers-chip.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { modalityText, planeText } from '../../components/words.ts'
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

/** What the list is asked for. */
export const unitsOf = (docId: string | undefined) => ({
  filters: docId === undefined ? null : { docId: [docId] },
  limit: 100,
})

/** Units in the order in which they came in. `docId`: those of one document. */
export function UnitsTable({ docId }: { docId: string | undefined }) {
  const start = useUrlStart()
  const list = usePages(ListedUnitsDocument, unitsOf(docId), pick, { from: start.from })
  return <UnitRows {...list} start={start} isFiltered={docId !== undefined} />
}

/** Those that both the principal `as` and the caller may read. */
export function ViewedUnitsTable({ as, docId }: { as: string; docId: string | undefined }) {
  const start = useUrlStart()
  const variables = { principalId: as, ...unitsOf(docId) }
  const list = usePages(ListedUnitsAsDocument, variables, pickViewed, { from: start.from })
  useViewedPlace(list.last?.unitsAs?.context)
  return <UnitRows {...list} start={start} isFiltered={docId !== undefined} />
}

interface UnitRowsProps extends LoadedRows {
  rows: readonly ListedUnitFragment[]
  start: ReturnType<typeof useUrlStart>
  isPending: boolean
  isFiltered: boolean
  error: ServiceError | null
  refetch(): unknown
}

function UnitRows({ start, isPending, isFiltered, error, refetch, ...list }: UnitRowsProps) {
  const place = useListPlace(start, list)
  const { rows, count, isStale } = list
  if (error) return <Problem error={error} onRetry={refetch} />
  if (isPending) return <Skeleton rows={12} />
  if (rows.length === 0) {
    const action = <PageLink to="/documents">Documents</PageLink>
    return isFiltered ? (
      <Empty action={action}>No Unit belongs to a document of this id.</Empty>
    ) : (
      <NothingIn upload="Drop files on this page, or press Upload." />
    )
  }
  return (
    <Table
      label="Units"
      columns={columns}
      rows={rows}
      rowKey={({ unitId }) => unitId}
      count={count}
      place={place}
      stale={isStale}
    />
  )
}

const columns: readonly Column<ListedUnitFragment>[] = [
  {
    title: 'Unit',
    width: 'minmax(176px, 2fr)',
    cell: ({ unitId, title, text }) => (
      <PageLink to="/view" search={{ unit: unitId }}>
        <SafeText>{(text || title || unitId).slice(0, 200)}</SafeText>
      </PageLink>
    ),
  },
  {
    title: 'Document',
    width: 'minmax(128px, 1fr)',
    cell: ({ docId }) => (
      <span title={docId ?? ''}>
        <SafeText>{docId ?? ''}</SafeText>
      </span>
    ),
  },
  {
    title: 'Scope',
    width: 'minmax(128px, 1fr)',
    cell: ({ scope }) => (
      <span title={scope}>
        <SafeText>{scope}</SafeText>
      </span>
    ),
  },
  {
    title: 'Readers',
    width: 'minmax(168px, 1fr)',
    cell: ({ unitId, title, text, scope, readers }) => (
      <ReadersChip of={{ title: (text || title || unitId).slice(0, 80), unitId, scopes: [scope], readers }} />
    ),
  },
  { title: 'Plane', width: '80px', cell: ({ plane }) => <span title={plane}>{planeText(plane)}</span> },
  { title: 'Kind', width: '136px', cell: ({ modality }) => <span title={modality}>{modalityText(modality)}</span> },
  { title: 'Written', width: '192px', cell: ({ createdAt }) => <When at={createdAt} /> },
]
