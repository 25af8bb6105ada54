import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { sampled } from '../support/amounts.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { withCatalogRows } from '../support/database/catalog-rows.ts'
import { createStorage } from '../support/database/database.ts'
import { ingestFile } from '../support/documents/files.ts'
import { bootReplica } from '../support/process/boot-replica.ts'
import { createReplicas, replicaAdmin } from '../support/process/replicas.ts'
import { type S3Server, startS3Server } from '../support/s3/server.ts'

const settingsOf = ({ bucket, endpoint, region, credentials }: S3Server) => ({
  S3_BUCKET: bucket,
  S3_ENDPOINT: endpoint,
  S3_REGION: region,
  S3_ACCESS_KEY_ID: credentials.accessKeyId,
  S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
})

/** Counts how often an app parses each file. */
function countParses({ runtime }: TestApp): Map<string, number> {
  const { parser } = runtime.bindings
  const { parse } = parser
  const counts = new Map<string, number>()
  parser.parse = (file, stop) => {
    counts.set(file.name, (counts.get(file.name) ?? 0) + 1)
    return parse(file, stop)
  }
  return counts
}

interface Row {
  doc_id: string
  status: string
  attempts: number
  units: number
  writes: number
}

/** Each document with its Units, and how often a run wrote them. */
const query = `SELECT d.doc_id, d.status, d.attempts,
  (SELECT count(*)::int FROM unit u WHERE u.document_id = d.document_id AND u.state = 'live') AS units,
  (SELECT count(*)::int FROM audit_row a WHERE a.target = d.document_id AND a.action = 'document.write') AS writes
  FROM ingested_document d ORDER BY d.doc_id`

describe.skipIf(!process.env.TEST_DATABASE_URL)('documents of two replicas (needs TEST_DATABASE_URL)', () => {
  test('each is worked on once, and its Units appear once', { timeout: 300_000 }, async () => {
    const s3 = await startS3Server()
    const { objects } = readConfig(settingsOf(s3))
    const config = { objects, parseWorkers: 2 }
    const storage = await createStorage()
    const first = await boot({ storage, config })
    const second = await bootReplica(first, { config })
    try {
      const apps = [first, second]
      const counts = apps.map(countParses)
      const token = await first.principal({ id: 'clerk', namespace: 'office', tier: 'enterprise' })
      const names = Array.from({ length: 24 }, (_, i) => `paper-${i}.md`)
      const textOf = (name: string) => `# ${name}\n\nThe first part.\n\n# More\n\nThe second part of ${name}.\n`
      await Promise.all(
        names.map((name, i) => ingestFile(apps[i % 2] as TestApp, token, name, textOf(name), { scope: 'shelf' })),
      )
      const rows = () => withCatalogRows(storage, (sql) => sql<Row>(query))
      await expect
        .poll(async () => (await rows()).map(({ status }) => status), { timeout: 240_000, interval: 500 })
        .toEqual(names.map(() => 'ready'))
      expect(await rows()).toEqual(
        names.sort().map((doc_id) => ({ doc_id, status: 'ready', attempts: 1, units: 2, writes: 1 })),
      )
      // Together they parsed each file once, and both took part.
      const parsed = counts.flatMap((count) => [...count])
      expect(parsed.map(([name]) => name).sort()).toEqual(names)
      expect(parsed.every(([, times]) => times === 1)).toBe(true)
      expect(counts.map((count) => count.size > 0)).toEqual([true, true])
    } finally {
      await second.close()
      await first.close()
      await s3.close()
    }
  })

  // Before the file is parsed, and when its text is stored, before its Units are written. By day only the latter.
  test.each(sampled(['GET', 'PUT'], 1))(
    'when its replica is killed at the %s, another takes it over',
    { timeout: 300_000 },
    async (method) => {
      const s3 = await startS3Server()
      await using replicas = await createReplicas(settingsOf(s3))
      const killed = await replicas.start(0)
      const other = await replicas.start(1)
      const send = async (at: string, body: object) => {
        const response = await fetch(`${at}/graphql`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${replicaAdmin}`,
            'content-type': 'application/json',
            'x-svc-scope': 'harbor/general',
            'x-svc-namespace': 'demo',
          },
          body: JSON.stringify(body),
        })
        const { data, errors } = (await response.json()) as { data: Record<string, never>; errors?: unknown }
        expect(errors).toBeUndefined()
        return data as Record<string, Record<string, string>>
      }
      await fetch(`${killed.url}/v1/admin/seed`, {
        method: 'POST',
        headers: { authorization: `Bearer ${replicaAdmin}` },
      })
      const text = '<!doctype html><p>The keel is oak.</p><h1>Mast</h1><p>The mast is pine.</p>'
      const data = Buffer.from(text).toString('base64')
      const created = await send(killed.url, {
        query: `mutation { createSource(input: { data: "${data}", mime: "text/html" }) { sourceUri } }`,
      })
      const sourceUri = created.createSource?.sourceUri
      // It is the first that takes the document: the other one stands still.
      other.kill('SIGSTOP')
      Object.assign(s3, { always: 'slow', delayMs: 1_500 })
      const before = s3.requests.length
      await send(killed.url, {
        query: `mutation { ingestDocument(input: { sourceUri: "${sourceUri}", name: "boat.html", docId: "boat",
        scope: "harbor/general", aclGroups: ["*"] }) { status } }`,
      })
      const seen = (request: string) =>
        request.startsWith(`${method} `) && (method === 'GET' || request.includes('/text'))
      await expect.poll(() => s3.requests.slice(before).some(seen), { interval: 20 }).toBe(true)
      killed.kill('SIGKILL')
      await killed.exited
      s3.always = null
      const row = async () =>
        (await withCatalogRows(replicas.storage, (sql) => sql<Row>(query))).find(({ doc_id }) => doc_id === 'boat')
      expect(await row()).toMatchObject({ status: 'running', units: 0, writes: 0 })
      other.kill('SIGCONT')
      await expect.poll(async () => (await row())?.status, { timeout: 120_000, interval: 250 }).toBe('ready')
      expect(await row()).toMatchObject({ units: 2, writes: 1 })
      // The killed one comes back and does nothing again.
      const back = await replicas.start(0)
      await sleep(5_000)
      expect(await row()).toMatchObject({ status: 'ready', units: 2, writes: 1 })
      for (const { url } of [other, back]) {
        const found = await send(url, { query: '{ search(input: { q: "keel mast oak pine" }) { hits { docId } } }' })
        const hits = (found.search?.hits ?? []) as unknown as { docId: string | null }[]
        expect(hits.filter(({ docId }) => docId === 'boat')).toHaveLength(2)
      }
      await s3.close()
    },
  )
})
