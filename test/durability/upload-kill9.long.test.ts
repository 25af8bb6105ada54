import { createHash, randomBytes } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { kills } from '../support/amounts.ts'
import { createStorage } from '../support/database/database.ts'
import { environmentOf, startServerProcess } from '../support/process/server-process.ts'

const rounds = kills(1)
const bytes = 8 * 2 ** 20

interface Uploaded {
  source_uri: string
  sha256: string
}

/** Sends bytes in slices with pauses between them. Null where the connection broke before the answer. */
function putSlowly(url: string, data: Buffer, pauseMs: number): Promise<Uploaded | null> {
  const { promise, resolve } = Promise.withResolvers<Uploaded | null>()
  const sending = request(url, { method: 'PUT', headers: { 'content-length': data.length } }, async (response) => {
    let text = ''
    for await (const part of response) text += part
    resolve(response.statusCode === 200 ? JSON.parse(text) : null)
  })
  sending.on('error', () => resolve(null))
  const send = async () => {
    for (let at = 0; at < data.length && !sending.destroyed; at += 2 ** 20) {
      sending.write(data.subarray(at, at + 2 ** 20))
      await sleep(pauseMs)
    }
    sending.end()
  }
  void send()
  return promise
}

test(`${rounds} rounds of kill -9 during an upload: what was acknowledged is whole, nothing else is left`, {
  timeout: 180_000 * (rounds + 1),
}, async () => {
  const storage = await createStorage()
  const acknowledged: Uploaded[] = []
  let broken = 0
  let token = ''
  const ask = async (base: string, query: string, variables: object) => {
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors } = (await response.json()) as { data: Record<string, { url: string }>; errors?: unknown }
    expect(errors).toBeUndefined()
    return data
  }
  const linkOf = async (base: string) => {
    const query = 'mutation ($bytes: SafeInt!) { createUpload(input: {bytes: $bytes, name: "a.bin"}) { url } }'
    return new URL((await ask(base, query, { bytes })).createUpload?.url ?? '', base)
  }
  const hashOf = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')

  try {
    for (let round = 0; round < rounds; round++) {
      await using server = await startServerProcess(environmentOf(storage), { timeoutMs: 90_000 })
      if (round === 0) {
        const seeded = await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })
        token = ((await seeded.json()) as { tokens: { admin: string } }).tokens.admin
      }
      const link = await linkOf(server.url)
      const data = randomBytes(bytes)
      const uploading = putSlowly(link.href, data, 20)
      // Also at the end, where the bytes are whole and their row is written.
      await sleep(round % 2 === 0 ? Math.random() * 150 : 150 + Math.random() * 150)
      server.kill('SIGKILL')
      await server.exited
      const answer = await uploading
      if (answer) acknowledged.push(answer)

      await using next = await startServerProcess(environmentOf(storage), { timeoutMs: 90_000 })
      if (answer) continue
      broken += 1
      // Without an answer, the link takes the bytes now, unless they had arrived.
      const again = await putSlowly(new URL(link.pathname, next.url).href, data, 0)
      if (again) {
        expect(again.sha256).toBe(hashOf(data))
        acknowledged.push(again)
      }
    }
    await using server = await startServerProcess(environmentOf(storage), { timeoutMs: 90_000 })
    for (const { source_uri: uri, sha256 } of acknowledged) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-svc-scope': 'harbor' }
      const ingested = await fetch(`${server.url}/v1/ingest`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ units: [{ scope: 'harbor', text: `Of ${uri}.`, source_uri: uri }] }),
      })
      const { units } = (await ingested.json()) as { units: [{ unit_id: string }] }
      const query = 'query ($id: String!) { sourceLink(unitId: $id) { url } }'
      const { sourceLink } = await ask(server.url, query, { id: units[0].unit_id })
      const served = await fetch(new URL(sourceLink?.url ?? '', server.url))
      expect(hashOf(await served.bytes())).toBe(sha256)
    }
    const partials = join(storage.dataDir, 'objects', '.partial')
    await expect.poll(() => readdir(partials).catch(() => [])).toEqual([])
    expect(acknowledged.length).toBeGreaterThan(0)
    console.log(`kill -9 during uploads: ${JSON.stringify({ rounds, broken, acknowledged: acknowledged.length })}`)
  } finally {
    await storage.remove()
  }
})
