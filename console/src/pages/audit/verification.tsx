import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Problem } from '../../components/problem.tsx'
import { When } from '../../components/when.tsx'
import { counted } from '../../components/words.ts'
import { request, type Selection } from '../../graphql/transport.ts'
import { keptIn } from '../../proofs/kept.ts'
import { lineOf, verifies } from '../../proofs/line.ts'
import { type LogInput, type ProofSource, type Verified as VerifiedLog, verifyLog } from '../../proofs/log.ts'
import type { Flaw, LogRow } from '../../proofs/row.ts'
import { useSelection } from '../../session/selection.ts'
import {
  AuditCheckpointDocument,
  AuditLogDocument,
  type AuditLogQuery,
  AuditProofDocument,
  VerifyAuditDocument,
} from './generated/graphql.ts'

/** Asks the service whether the log is intact. */
export function useServiceVerdict() {
  const selection = useSelection()
  return useMutation({ mutationFn: () => request(VerifyAuditDocument, {}, { selection }) })
}

/** Checks rows in this browser, under a checkpoint that is made now. `after`: also all that come after that one. */
export function useOwnVerdict() {
  const selection = useSelection()
  return useMutation({
    mutationFn: async ({
      namespace,
      rows,
      whole,
      after,
    }: Pick<LogInput, 'namespace' | 'rows' | 'whole'> & { after: number | undefined }): Promise<VerifiedLog | Flaw> => {
      if (crypto.subtle === undefined)
        throw new Error(
          'This browser checks proofs only on pages from https or localhost. Open the console at such an address.',
        )
      const { auditCheckpoint: checkpoint } = await request(AuditCheckpointDocument, {}, { selection })
      if (!checkpoint) throw new Error('The service has made no checkpoint yet. Try again in a moment.')
      const [kept, source] = [keptIn(localStorage), proofsOf(selection)]
      const all = after === undefined ? rows : [...rows, ...(await source.after(after))]
      return verifyLog({ namespace, rows: distinct(all), whole, checkpoint, source, kept })
    },
  })
}

/** Rows move to later pages while the log grows: the same row may have come twice. */
const distinct = (rows: readonly LogRow[]): LogRow[] => [
  ...new Map(rows.map((row) => [JSON.stringify(row), row])).values(),
]

export function proofsOf(selection: Selection): ProofSource {
  const prove = async (variables: { seq?: number; from?: number; size: number }) => {
    const { auditProof } = await request(AuditProofDocument, variables, { selection })
    return auditProof ?? { hashes: [] }
  }
  return {
    inclusion: (seq, size) => prove({ seq, size }),
    consistency: (from, size) => prove({ from, size }),
    after: async (seq) => {
      const rows: LogRow[] = []
      for (let cursor: number | null = 0; cursor !== null; ) {
        const { audit }: AuditLogQuery = await request(AuditLogDocument, { cursor, limit: 100 }, { selection })
        rows.push(...(audit?.rows ?? []))
        const reached = rows.some((row) => row.seq <= seq + 1)
        cursor = reached ? null : (audit?.nextCursor ?? null)
      }
      return rows
    },
  }
}

export interface VerificationProps {
  service: ReturnType<typeof useServiceVerdict>
  own: ReturnType<typeof useOwnVerdict>
  /** Called when this browser trusts another key. */
  onTrust(): void
  /** When it was last verified. */
  children?: ReactNode
}

/** What the service says of the log, and what this browser found. */
export function Verification({ service, own, onTrust, children }: VerificationProps) {
  return (
    <section
      aria-label="Verification"
      className="flex flex-col gap-2 rounded-surface border border-line bg-surface px-4 py-3"
    >
      {children}
      {service.isPending && <p className="text-muted">Service: checking</p>}
      {service.data?.verifyAudit && <ServiceLine {...service.data.verifyAudit} />}
      {service.error && <Problem error={service.error} onRetry={service.mutate} />}
      {own.isPending && <p className="text-muted">This browser: checking</p>}
      {own.data && <OwnLine result={own.data} />}
      {own.data && 'reason' in own.data && own.data.underNewKey && (
        <TrustKey {...own.data.underNewKey} onTrust={onTrust} />
      )}
      {own.error && <Problem error={own.error} />}
    </section>
  )
}

const badgeOf = (namespace: string) => `console.verified ${namespace}`

interface VerifiedProps {
  namespace: string
  /** How many rows were found intact just now; false if something does not verify. */
  checked: number | false | undefined
  /** When. */
  at: number
}

/** When the log was last found intact from this browser. It stays until a check finds otherwise. */
export function Verified({ namespace, checked, at }: VerifiedProps) {
  useEffect(() => {
    if (checked === false) localStorage.removeItem(badgeOf(namespace))
    else if (checked !== undefined) localStorage.setItem(badgeOf(namespace), JSON.stringify([checked, at]))
  }, [namespace, checked, at])
  if (checked === false) return null
  const [rows, when] =
    checked === undefined ? (JSON.parse(localStorage.getItem(badgeOf(namespace)) ?? '[]') as number[]) : [checked, at]
  if (rows === undefined || when === undefined) return <p className="text-muted">Not verified from this browser yet.</p>
  return (
    <p className="flex w-fit items-center gap-2 text-ok">
      <ShieldCheck aria-hidden className="size-4" />
      Verified, {counted(rows, 'row')}, <When at={when} />
    </p>
  )
}

/** Only a person can trust a new key: whoever writes a false log can sign it with a key of their own. */
function TrustKey({ origin, note, verifierKey, onTrust }: NonNullable<Flaw['underNewKey']> & { onTrust(): void }) {
  return (
    <div className="flex flex-col items-start gap-2">
      <p>Ask the operator of the service whether the key was replaced, and compare it to the letter:</p>
      <code className="max-w-full break-all">{verifierKey}</code>
      <ConfirmButton
        question="It is the operator's key: trust it"
        what="This browser will trust logs that are signed with the new key."
        onClick={() => {
          keptIn(localStorage).set(origin, { note, verifierKey })
          onTrust()
        }}
      >
        Trust the new key
      </ConfirmButton>
    </div>
  )
}

interface ServiceLineProps {
  intact: boolean
  checked: number
  breakAt?: number | null
  reason?: string | null
}

function ServiceLine({ intact, checked, breakAt, reason }: ServiceLineProps) {
  if (intact) return <p>Service: intact, {checked} rows checked</p>
  return (
    <p role="alert" className="text-danger">
      Service: not intact: row {breakAt}: {reason}
    </p>
  )
}

export function OwnLine({ result }: { result: VerifiedLog | Flaw }) {
  if (verifies(result)) return <p className="text-ok">{lineOf(result)}</p>
  return (
    <p role="alert" className="font-strong text-danger">
      {lineOf(result)}
    </p>
  )
}
