import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { When } from '../../components/when.tsx'
import { useGraphql } from '../../graphql/hooks.ts'
import { keptIn } from '../../proofs/kept.ts'
import { type ReceiptInput, verifyReceipt } from '../../proofs/receipt.ts'
import { useSelection } from '../../session/selection.ts'
import { useSession } from '../../session/session.tsx'
import { DeletionReceiptDocument, type DeletionReceiptQuery } from './generated/graphql.ts'
import { OwnLine, proofsOf } from './verification.tsx'

type Receipt = NonNullable<DeletionReceiptQuery['deletionReceipt']>

/** What a hard delete has removed, and the rows of the log that say so, checked in this browser. */
export function ReceiptPage() {
  const { seq = '' } = useParams({ strict: false })
  const isNumber = /^[1-9]\d{0,15}$/.test(seq)
  const { data, error, refetch, isFetching } = useGraphql(
    DeletionReceiptDocument,
    { seq: Number(seq) },
    { enabled: isNumber },
  )
  const receipt = data?.deletionReceipt
  return (
    <Page
      title="Deletion receipt"
      busy={isFetching}
      actions={isNumber && <CopyAs document={DeletionReceiptDocument} variables={{ seq: Number(seq) }} />}
    >
      {!isNumber && (
        <Empty action={<PageLink to="/audit">Audit log</PageLink>}>A receipt has a number: that of its deletion.</Empty>
      )}
      {error && <Problem error={error} onRetry={refetch} />}
      {isNumber && !error && !receipt && <Skeleton rows={6} />}
      {receipt && (
        <>
          <Check receipt={receipt} />
          <h2>What is gone</h2>
          <Table label="Stores" columns={stores} rows={receipt.stores} rowKey={({ store }) => store} />
          <h2>Rows of the log</h2>
          <Table label="Rows of the log" columns={rows} rows={receipt.rows} rowKey={({ row }) => String(row.seq)} />
        </>
      )}
    </Page>
  )
}

const stores: readonly Column<Receipt['stores'][number]>[] = [
  { title: 'Store', cell: ({ store }) => store.replaceAll('_', ' ') },
  { title: 'Engine', cell: ({ engine }) => engine },
  { title: 'Erased', cell: ({ erased }) => erased, align: 'end', width: '112px' },
  {
    title: 'Remaining',
    cell: ({ remaining }) => <span className={remaining > 0 ? 'text-warn' : ''}>{remaining}</span>,
    align: 'end',
    width: '112px',
  },
]

const rows: readonly Column<Receipt['rows'][number]>[] = [
  {
    title: 'Row',
    width: '112px',
    cell: ({ row }) => (
      <PageLink to="/audit" search={{ row: String(row.seq) }}>
        Row {row.seq}
      </PageLink>
    ),
  },
  { title: 'Time', width: '192px', cell: ({ row }) => <When at={row.time} /> },
  { title: 'Principal', cell: ({ row }) => <Person id={row.principalId} name={row.principalName} /> },
  { title: 'Hash', cell: ({ row }) => <code>{row.hash}</code> },
]

/** Checks the receipt as soon as it has come. */
function Check({ receipt }: { receipt: Receipt }) {
  const selection = useSelection()
  const { namespace } = useSession()
  const { mutate, data, error } = useMutation({ mutationFn: (input: ReceiptInput) => verifyReceipt(input) })
  useEffect(() => {
    if (namespace === '') return
    mutate({ namespace, rows: receipt.rows, source: proofsOf(selection), kept: keptIn(localStorage) })
  }, [mutate, receipt, selection, namespace])
  return (
    <section aria-label="Verification" className="rounded-surface border border-line bg-surface px-4 py-3">
      {data && <OwnLine result={data} />}
      {data && 'reason' in data && data.underNewKey && (
        <p>
          The new key can be trusted on the page <PageLink to="/audit">Audit log</PageLink>, by its button Verify.
        </p>
      )}
      {error && <Problem error={error} />}
      {!data && !error && <p className="text-muted">This browser: checking</p>}
    </section>
  )
}
