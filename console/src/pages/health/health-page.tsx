import { Button } from '../../components/button.tsx'
import { CopyAs } from '../../components/copy-as.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { planeText } from '../../components/words.ts'
import { useChange, useGraphql } from '../../graphql/hooks.ts'
import { useIsAdmin } from '../../session/session.tsx'
import { CompactDocument, type CompactMutation, HealthDocument, type HealthQuery } from './generated/graphql.ts'
import { Since } from './since.tsx'

type Engines = NonNullable<HealthQuery['health']>
type Planes = NonNullable<HealthQuery['catalogStats']>['planes']
type Pending = NonNullable<HealthQuery['compaction']>['planes'][number]

/** Engines and planes, asked for again every five seconds. */
export function HealthPage() {
  const { data, dataUpdatedAt, error, refetch, isFetching } = useGraphql(HealthDocument, {}, { refetchInterval: 5_000 })
  const compact = useChange(CompactDocument)
  const isAdmin = useIsAdmin()
  return (
    <Page
      title="Health"
      busy={isFetching && !data}
      actions={
        <>
          <CopyAs document={HealthDocument} variables={{}} />
          {isAdmin && (
            <Button busy={compact.isPending} onClick={() => compact.mutate({ input: null })}>
              Compact
            </Button>
          )}
        </>
      }
    >
      {compact.error && <Problem error={compact.error} />}
      {compact.data?.compact && <Compacted planes={compact.data.compact.planes} />}
      {error && <Problem error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={10} />}
      {data?.health && <Service {...data.health} />}
      {data?.catalogStats?.advice && (
        <p role="note" className="rounded-surface border border-line bg-surface px-4 py-3 text-warn">
          <SafeText>{data.catalogStats.advice}</SafeText>
        </p>
      )}
      {data?.catalogStats && <PlaneTable planes={data.catalogStats.planes} pending={data.compaction?.planes ?? []} />}
      {data?.catalogStats && (
        <p className="text-small text-muted">
          Another model: the operator adds it by <code>multimodal-retrieval model add</code>, names it in{' '}
          <code>EMBED_MODEL</code>, and restarts. Searches go on while the Units are embedded again.
        </p>
      )}
      {data?.catalogStats && (
        <Since
          planes={data.catalogStats.planes}
          pending={data.compaction?.planes}
          load={data.health?.load ?? null}
          at={dataUpdatedAt}
        />
      )}
    </Page>
  )
}

function Service({ status, service, version, bindings, auditAnchor }: Engines) {
  const engines = [
    ['Catalog', bindings.catalog],
    ['Vector indexes', [...new Set(bindings.vectorIndex)].join(', ')],
    ['Sources', bindings.objectStore],
    ['Short-lived state', bindings.keyValue],
    ['Models', bindings.inference ? 'available' : '(down)'],
    ['Copies of checkpoints', auditAnchor],
  ] as const
  return (
    <section aria-label="Engines" className="flex flex-col gap-3 rounded-surface border border-line bg-surface p-4">
      <h2 className={status === 'ok' ? 'text-ok' : 'text-danger'}>
        {status === 'ok' ? '✓ All is well' : `! ${status}`}
      </h2>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 wide:grid-cols-[auto_1fr_auto_1fr]">
        {engines.map(([name, engine]) => (
          <Engine key={name} name={name} engine={engine} />
        ))}
      </dl>
      <p className="text-small text-muted">
        <SafeText>{`${service} ${version}`}</SafeText>
      </p>
    </section>
  )
}

function Engine({ name, engine }: { name: string; engine: string }) {
  const isWrong = engine.endsWith(')')
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className={isWrong ? 'font-strong text-danger' : ''}>
        {isWrong && '! '}
        <SafeText>{engine}</SafeText>
      </dd>
    </>
  )
}

type PlaneRow = Planes[number] & { waiting: Pending | undefined }

function PlaneTable({ planes, pending }: { planes: Planes; pending: readonly Pending[] }) {
  const rows = planes.map((plane) => ({ ...plane, waiting: pending.find((one) => one.plane === plane.plane) }))
  return <Table label="Planes" columns={planeColumns} rows={rows} rowKey={({ plane }) => plane} />
}

const signs: Record<string, { sign: string; look: string; word: string }> = {
  green: { sign: '✓', look: 'text-ok', word: 'ready' },
  yellow: { sign: '◔', look: 'text-warn', word: 'behind' },
  red: { sign: '!', look: 'text-danger', word: 'down' },
}

const planeColumns: readonly Column<PlaneRow>[] = [
  { title: 'Plane', width: '112px', cell: ({ plane }) => <span title={plane}>{planeText(plane)}</span> },
  {
    title: 'State',
    width: '96px',
    cell: ({ health }) => (
      <span title={health} className={signs[health]?.look}>
        {signs[health]?.sign} {signs[health]?.word ?? health}
      </span>
    ),
  },
  { title: 'Indexed', width: '96px', align: 'end', cell: ({ indexed }) => indexed.toLocaleString() },
  { title: 'Vectors', width: '96px', align: 'end', cell: ({ vectors }) => vectors.toLocaleString() },
  { title: 'Pending', width: '96px', align: 'end', cell: ({ waiting }) => (waiting?.pending ?? 0).toLocaleString() },
  {
    title: 'Lag',
    width: '96px',
    align: 'end',
    cell: ({ lag }) => (lag === 0 ? 'none' : `${(lag / 1000).toFixed(1)} s`),
  },
  { title: 'Model', cell: (row) => <Model {...row} /> },
]

function Model({ model, dims, waiting }: PlaneRow) {
  const change = waiting?.modelChange
  return (
    <>
      <SafeText>{model}</SafeText> <span className="text-muted">{dims > 0 && `${dims} dimensions`}</span>
      {change && (
        <span className="text-warn">
          {' '}
          to <SafeText>{change.target}</SafeText>, {change.left} left
        </span>
      )}
    </>
  )
}

function Compacted({ planes }: { planes: NonNullable<CompactMutation['compact']>['planes'] }) {
  const [added, removed] = [total(planes.map((plane) => plane.added)), total(planes.map((plane) => plane.removed))]
  return (
    <p role="status" className="rounded-surface border border-line bg-surface px-4 py-3">
      The indexes agree with the catalog: {added} added, {removed} removed.
    </p>
  )
}

const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)
