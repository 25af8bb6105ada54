import { join } from 'node:path'
import { expect, it } from 'vitest'
import { atNight } from '../../support/amounts.ts'
import { createStorage } from '../../support/database/database.ts'
import { canFakeClock, createFakedClock } from '../../support/process/faked-clock.ts'
import { reportFault } from '../../support/process/report-fault.ts'
import { startServerProcess } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const day = 86_400
const person = { name: 'Mira', email: 'mira@example.com', password: 'the cat is called Bollard' }

it.skipIf(!canFakeClock)(
  'a clock that jumps a day, either way, fails nothing, delays nothing, and leaves the log intact (needs libfaketime)',
  { timeout: 600_000 },
  async () => {
    const storage = await createStorage({ embedded: true })
    const folder = tempDir('clock')
    const clock = createFakedClock(join(folder.path, 'clock'))
    const settings = {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: storage.dataDir,
      LOG_LEVEL: 'warn',
      INFERENCE: 'builtin',
    }
    const short = { AUDIT_CHECKPOINT_SECONDS: '1', SWEEP_SECONDS: '1', SIGN_IN_TRIES: '3', INGEST_WAIT_MS: '20000' }
    const env = { ...settings, ...short, ...clock.env }
    const options = { timeoutMs: 300_000 }
    const seqs: number[] = []
    const written: string[] = []
    {
      await using server = await startServerProcess(env, options)
      const { tokens } = (await (await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })).json()) as {
        tokens: { admin: string }
      }
      const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
        const response = await fetch(`${server.url}${path}`, {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
        expect(response.status, `${method} ${path}`).toBeLessThan(500)
        return { status: response.status, headers: response.headers, body: await response.json() }
      }
      const admin = { authorization: `Bearer ${tokens.admin}` }
      const call = (method: string, path: string, body?: unknown, headers = {}) =>
        send(method, path, body, { ...admin, ...headers })
      const graphql = async (query: string, variables: object = {}) => {
        const { body } = await call('POST', '/graphql', { query, variables })
        expect(body.errors).toBeUndefined()
        return body.data
      }
      const ownOrigin = { origin: server.url }
      expect((await send('POST', '/api/auth/sign-up/email', person, ownOrigin)).status).toBe(200)
      const signIn = () => send('POST', '/api/auth/sign-in/email', person, ownOrigin)
      const cookie = (await signIn()).headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; ')

      const jumps = atNight ? [0, day, -day, 0, 2 * day, 0] : [0, day, -day]
      for (const [round, seconds] of jumps.entries()) {
        clock.jumpTo(seconds)
        const health = await call('GET', '/v1/health')
        const seen = (Date.parse(health.body.time) - Date.now()) / 1000
        expect(Math.abs(seen - seconds), 'the service has the clock').toBeLessThan(60)

        const id = `round-${round}`
        const ingested = await call(
          'POST',
          '/v1/ingest',
          { units: [{ scope: 'harbor/general', external_id: id, text: `quay ${'abcdef'[round]}${round} keelson` }] },
          { 'idempotency-key': id },
        )
        expect(ingested.body).toMatchObject({ indexed: true })
        seqs.push(ingested.body.seq)
        written.push(id)
        const found = await call('POST', '/v1/search', { q: `${'abcdef'[round]}${round} keelson`, top_k: 1 })
        expect(found.body.hits[0]).toMatchObject({ external_id: id })

        const data = Buffer.from(`# Chapter ${round}\n\nThe keelson lies above the keel.\n`).toString('base64')
        const { createSource } = await graphql(
          'mutation($input: CreateSourceInput!) { createSource(input: $input) { sourceUri } }',
          { input: { data, mime: 'text/markdown' } },
        )
        const input = { sourceUri: createSource.sourceUri, name: `notes/${round}.md`, scope: 'harbor/general' }
        const { ingestDocument } = await graphql(
          'mutation($input: IngestDocumentInput!) { ingestDocument(input: $input) { documentId } }',
          { input },
        )
        const status = async () =>
          (
            await graphql('query($id: String!) { document(documentId: $id) { status } }', {
              id: ingestDocument.documentId,
            })
          ).document.status
        // Queued at one time, and the clock jumps back before it runs.
        clock.jumpTo(seconds - day)
        await expect.poll(status).toBe('ready')
        clock.jumpTo(seconds)

        const session = await send('GET', '/v1/context', undefined, { cookie, ...ownOrigin, 'x-svc-scope': '*' })
        expect(session.status).toBe(200)
        const { body: verified } = await call('GET', '/v1/audit/verify')
        expect(verified).toMatchObject({ intact: true })
        // Signed within its interval, whatever the clock says.
        const anchored = async () => (await graphql('{ verifyAudit { anchor { size } } }')).verifyAudit.anchor.size
        await expect.poll(anchored).toBeGreaterThanOrEqual(verified.head_seq)
      }
      expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))

      // Tries that were counted at a later time refuse nobody until then.
      clock.jumpTo(day)
      for (let i = 0; i < 4; i += 1) await signIn()
      expect((await signIn()).status).toBe(429)
      clock.jumpTo(0)
      const signedIn = () => expect.poll(async () => (await signIn()).status, { interval: 1000 }).toBe(200)
      await reportFault('clock a day back, after too many sign-ins', '5 sign-ins', signedIn)

      for (const id of written) expect((await call('GET', `/v1/units/${encodeURIComponent(id)}`)).status).toBe(200)
      server.kill('SIGTERM')
      expect(await server.exited).toEqual({ code: 0, signal: null })
      expect(server.stderr).toBe('')
    }
    clock.jumpTo(-day)
    await using next = await startServerProcess(env, options)
    expect((await fetch(`${next.url}/readyz`)).status).toBe(200)
    next.kill('SIGTERM')
    expect(await next.exited).toEqual({ code: 0, signal: null })
    await storage.remove()
    folder.remove()
  },
)
