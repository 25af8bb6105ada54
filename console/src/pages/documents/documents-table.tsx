import { Empty } from '../../components/empty.tsx'
import { useListPlace, useUrlStart } from '../../components/list-place.ts'
import { NothingIn } from '../../components/nothing-in.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { ReadersChip } from '../../components/readers/readers-chip.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { numberText, planesText } from '../../components/words.ts'
import { usePages } from '../../graphql/pages.ts'
import { DocsDocument, type DocsQuery } from './generated/graphql.ts'

type Doc = NonNullable<DocsQuery['docs']>['docs'][number]

const pick = ({ docs }: DocsQuery) => (docs ? { ...docs, rows: docs.docs } : null)

/** What the list is asked for. */
export const docsOf = (prefix: string | undefined) => ({ prefix: prefix ?? null, limit: 100 })

/** What may be read, by document, the newest first. */
export function DocumentsTable({ prefix }: { prefix: string | undefined }) {
  const start = useUrlStart()
  const list = usePages(DocsDocument, docsOf(prefix), pick, { from: start.from })
  const place = useListPlace(start, list)
  if (list.error) return <Problem error={list.error} onRetry={list.refetch} />
  if (list.isPending) return <Skeleton rows={12} />
  if (list.rows.length === 0) {
    return prefix ? (
      <Empty action={<PageLink to="/documents">Show all</PageLink>}>
        No path or id begins like this. A path begins with its folder; Search finds documents by what is in them.
      </Empty>
    ) : (
      <NothingIn upload="Drop files on this page, or press Upload." />
    )
  }
  return (
    <Table
      label="Documents"
      columns={columns}
      rows={list.rows}
      rowKey={({ docId, unitId }) => docId ?? unitId}
      count={list.count}
      place={place}
      stale={list.isStale}
    />
  )
}

/** The end of a path. What is in a file comes after its name: `report.docx#image1.png`. */
const fileOf = (docId: string) => /[^/]+\/?$/.exec(docId)?.[0] ?? docId

/** Its folder, and what it calls itself. */
const aboutOf = (docId: string, title: string) =>
  [docId.slice(0, -fileOf(docId).length).replace(/\/$/, ''), title === docId ? '' : title].filter(Boolean).join(' · ')

const columns: readonly Column<Doc>[] = [
  {
    title: 'Document',
    width: 'minmax(176px, 2fr)',
    cell: ({ docId, unitId, title }) => (
      <PageLink to="/view" search={docId === null || docId === undefined ? { unit: unitId } : { doc: docId }}>
        <SafeText>{docId ? fileOf(docId) : title}</SafeText>
        {docId && <SafeText className="text-small text-muted">{` ${aboutOf(docId, title)}`}</SafeText>}
      </PageLink>
    ),
  },
  { title: 'Scope', width: 'minmax(112px, 1fr)', cell: ({ scopes }) => <SafeText>{scopes.join(', ')}</SafeText> },
  {
    title: 'Readers',
    width: 'minmax(232px, 1fr)',
    cell: ({ title, docId, unitId, scopes, readers }) => <ReadersChip of={{ title, docId, unitId, scopes, readers }} />,
  },
  {
    title: 'Planes',
    width: '128px',
    cell: ({ planes }) => <span title={planes.join(', ')}>{planesText(planes)}</span>,
  },
  { title: 'Units', width: '72px', align: 'end', cell: ({ units }) => numberText(units) },
  { title: 'Changed', width: '192px', cell: ({ updatedAt }) => <When at={updatedAt} /> },
]
