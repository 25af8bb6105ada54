import type { Checkpoint, KeptCheckpoints } from '../../../console/src/proofs/checkpoint.ts'
import type { ProofSource } from '../../../console/src/proofs/log.ts'
import type { LogRow } from '../../../console/src/proofs/row.ts'
import type { TestApp } from '../../support/boot.ts'

export const rowFields = 'namespace seq time principalId action target outcome requestId detail prevHash hash'

/** The audit log of a namespace as the console gets it: over GraphQL. */
export function logOf(app: TestApp, token: string, namespace: string) {
  const ask = async (query: string, variables: Record<string, unknown> = {}) => {
    const { body } = await app.graphql(query, variables, { token, namespace })
    if (body.errors) throw new Error(JSON.stringify(body.errors))
    return body.data
  }
  const checkpoint = async (size?: number): Promise<Checkpoint> =>
    (await ask('query ($size: SafeInt) { auditCheckpoint(size: $size) { note verifierKey } }', { size }))
      .auditCheckpoint
  const page = async (cursor: number, limit: number): Promise<LogRow[]> => {
    const query = `query ($cursor: SafeInt, $limit: Int) { audit(cursor: $cursor, limit: $limit) { rows { ${rowFields} } } }`
    return (await ask(query, { cursor, limit })).audit.rows
  }
  const prove = async (variables: Record<string, unknown>) => {
    const query = `query ($seq: SafeInt, $from: SafeInt, $size: SafeInt) {
      auditProof(seq: $seq, from: $from, size: $size) { hashes } }`
    return (await ask(query, variables)).auditProof
  }
  const source: ProofSource = {
    inclusion: (seq, size) => prove({ seq, size }),
    consistency: (from, size) => prove({ from, size }),
    after: async (seq) => (await page(0, 100)).filter((row) => row.seq > seq),
  }
  return { ask, checkpoint, page, source }
}

/** The store of one browser. */
export function keptInMemory(): KeptCheckpoints & { all: Map<string, Checkpoint> } {
  const all = new Map<string, Checkpoint>()
  return { all, get: (origin) => all.get(origin) ?? null, set: (origin, value) => all.set(origin, value) }
}
