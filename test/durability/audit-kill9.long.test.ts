import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseCheckpoint } from '../../src/model/checkpoint.ts'
import { provesConsistency } from '../../src/model/merkle.ts'
import { openNote, parseVerifier } from '../../src/model/signed-note.ts'
import { kills } from '../support/amounts.ts'
import { expectSoundCatalog } from '../support/database/catalog-rows.ts'
import { createStorage } from '../support/database/database.ts'
import { environmentOf, startServerProcess } from '../support/process/server-process.ts'

const rounds = kills(1)
const writers = 16
const superAdmin = 'super-admin-of-the-kill-test'

/** Settings that keep the chain busy: frequent checkpoints, and reads that are recorded before their answers. */
const settings = {
  SUPER_ADMIN_TOKEN: superAdmin,
  AUDIT_CHECKPOINT_SECONDS: '0.05',
  AUDIT_READS: 'sync',
  INGEST_WAIT_MS: '0',
}

interface Checkpoint {
  note: string
  verifier_key: string
}

const opened = ({ note, verifier_key }: Checkpoint) => {
  const verifier = parseVerifier(verifier_key)
  const checkpoint = parseCheckpoint(openNote(note, verifier ? [verifier] : []) ?? '')
  if (!checkpoint) throw new Error(`not a signed checkpoint: ${note}`)
  return checkpoint
}

test(`${writers} writers and ${rounds} kills leave one chain without a gap, and all that was signed is in it`, {
  timeout: 180_000 * (rounds + 1),
}, async () => {
  const storage = await createStorage()
  const env = { ...environmentOf(storage), ...settings }
  const answered = new Set<string>()
  const checkpoints: Checkpoint[] = []
  let rows = 0
  let verified = 0
  try {
    for (let round = 0; round < rounds; round += 1) {
      {
        await using server = await startServerProcess(env)
        if (round === 0) await fetch(`${server.url}/v1/admin/seed`, { method: 'POST', headers: bearer() })
        const before = answered.size
        const writing = Promise.all(
          Array.from({ length: writers }, (_, i) => writeUntilGone(server.url, `r${round}w${i}`, answered)),
        )
        const watching = watchUntilGone(server.url, checkpoints)
        await expect.poll(() => answered.size - before, { interval: 5 }).toBeGreaterThan(writers)
        await sleep(Math.random() * 800)
        server.kill('SIGKILL')
        await Promise.all([writing, watching, server.exited])
      }
      await using server = await startServerProcess(env)
      const report = await get(server.url, '/v1/audit/verify')
      expect(report).toMatchObject({ intact: true, break_at: null })
      rows = report.head_seq
      verified += checkpoints.length
      for (const older of checkpoints.splice(0).map(opened)) {
        if (older.size === 0) continue
        const proof = await get(server.url, `/v1/audit/proof?from=${older.size}`)
        const { root, size } = opened(proof.checkpoint)
        const hashes = proof.hashes.map((hash: string) => Buffer.from(hash, 'base64'))
        expect(provesConsistency(older.size, size, hashes, older.root, root)).toBe(true)
      }
      // Each answer has exactly one row.
      const counted = new Map<string, number>()
      for (let cursor: number | null = 0; cursor !== null; ) {
        const page: { rows: { request_id: string }[]; next_cursor: number | null } = await get(
          server.url,
          `/v1/audit?limit=100&cursor=${cursor}`,
        )
        for (const { request_id } of page.rows) counted.set(request_id, (counted.get(request_id) ?? 0) + 1)
        cursor = page.next_cursor
      }
      expect([...answered].filter((id) => counted.get(id) !== 1)).toEqual([])
      server.kill('SIGTERM')
      expect(await server.exited).toEqual({ code: 0, signal: null })
      expect(server.stderr).toBe('')
      await expectSoundCatalog(storage)
    }
    console.log(
      `kill -9 of the audit log: ${JSON.stringify({ rounds, rows, answered: answered.size, checkpoints: verified })}`,
    )
  } finally {
    await storage.remove()
  }
})

const bearer = () => ({ authorization: `Bearer ${superAdmin}`, 'content-type': 'application/json' })

// Bodies are checked field by field where they are used.
// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
async function get(url: string, path: string): Promise<any> {
  const response = await fetch(`${url}${path}`, { headers: bearer() })
  const body = await response.json()
  expect(response.status, JSON.stringify(body)).toBe(200)
  return body
}

/** Writes and reads in turn, each with a unique request id, and records the answers. */
async function writeUntilGone(url: string, name: string, answered: Set<string>): Promise<void> {
  for (let n = 0; ; n += 1) {
    const id = `${name}-${n}`
    const headers = { ...bearer(), 'x-request-id': id, 'x-svc-scope': 'durability' }
    const isRead = n % 3 === 2
    const [path, body] = isRead
      ? (['/v1/search', { q: 'written' }] as const)
      : (['/v1/ingest', { units: [{ external_id: `${name}-${n % 5}`, text: `written ${id}` }] }] as const)
    const status = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      () => null,
    )
    if (status === null) return
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    answered.add(id)
  }
}

/** Collects the signed checkpoints, as an auditor would. */
async function watchUntilGone(url: string, checkpoints: Checkpoint[]): Promise<void> {
  for (;;) {
    const checkpoint = await fetch(`${url}/v1/audit/checkpoint`, { headers: bearer() }).then(
      async (response) => (response.ok ? ((await response.json()) as Checkpoint) : null),
      () => null,
    )
    if (checkpoint === null) return
    checkpoints.push(checkpoint)
    await sleep(20)
  }
}
