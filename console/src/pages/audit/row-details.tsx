import { Button } from '../../components/button.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { LogRow } from '../../proofs/row.ts'

/** One row with all its fields, in their own names. */
export function RowDetails({ row, onClose }: { row: LogRow; onClose(): void }) {
  const receipt = receiptOf(row)
  const { detail, principalName: _, ...fields }: LogRow & { principalName?: unknown } = row
  return (
    <section
      aria-label={`Row ${row.seq}`}
      className="flex flex-col gap-3 rounded-surface border border-line bg-surface p-4"
    >
      <div className="flex items-center gap-3">
        <h2 className="flex-1">Row {row.seq}</h2>
        {receipt !== null && <PageLink to={`/audit/receipts/${receipt}`}>Deletion receipt</PageLink>}
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      <dl className="grid grid-cols-[minmax(88px,auto)_1fr] gap-x-4 gap-y-1 text-table">
        {Object.entries(fields).map(([name, value]) => (
          <Pair
            key={name}
            name={name}
            value={name === 'time' ? `${value} (${new Date(row.time).toISOString()})` : value}
          />
        ))}
        <Pair name="detail" value={JSON.stringify(detail, null, 2)} />
      </dl>
    </section>
  )
}

const Pair = ({ name, value }: { name: string; value: unknown }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0 whitespace-pre-wrap">
      <code>
        <SafeText>{value === null || value === undefined ? 'null' : String(value)}</SafeText>
      </code>
    </dd>
  </>
)

/** The number of the receipt of a hard delete; null for other rows. */
function receiptOf({ action, detail, outcome }: LogRow): number | null {
  if (action !== 'units.delete' || outcome !== 'ok' || typeof detail !== 'object' || detail === null) return null
  return 'hard' in detail && detail.hard === true && 'seq' in detail ? Number(detail.seq) : null
}
