import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStorage } from '../../support/database/database.ts'
import { startModelServer } from '../../support/models/model-server.ts'
import { tinySettings } from '../../support/onnx/local-models.ts'
import { environmentOf, failedStart, startServerProcess } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const preloaded = (program: string) => ({
  NODE_OPTIONS: `--import ${fileURLToPath(new URL(`../../support/${program}`, import.meta.url))}`,
})

describe('a server with local models', () => {
  let directory: ReturnType<typeof tempDir>
  let settings: Record<string, string>

  beforeAll(() => {
    directory = tempDir('onnx-process')
    settings = tinySettings(directory.path)
  })
  afterAll(() => directory.remove())

  test('reads them, and connects to nobody', async () => {
    const storage = await createStorage()
    // A server that the process connects to on request: it proves that connections are reported.
    const other = await startModelServer()
    const env = { ...environmentOf({ ...storage, catalog: { kind: 'pglite', dataDir: storage.dataDir } }), ...settings }
    const chat = { CHAT_MODEL: 'llama3.2', CHAT_BASE_URL: `${other.url}/v1` }
    const server = await startServerProcess({ ...env, ...preloaded('database/report-connections.ts'), ...chat })
    try {
      expect(server.stdout).toContain('onnx:embed, onnx:rerank, openai:llama3.2, onnx:org/nli')
      const { tokens } = await (await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })).json()
      const post = (path: string, body: object) =>
        fetch(`${server.url}${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${tokens.admin}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }).then((response) => response.json())
      const found = await post('/v1/search', { q: 'keeper of the lamp', rerank: true })
      expect(found.trace).toMatchObject({ degraded: [], rerank: 'onnx:rerank' })
      expect(server.stderr).not.toContain('connects to')
      await post('/v1/answer', { q: 'keeper of the lamp' })
      expect(server.stderr).toContain('connects to')
    } finally {
      await server[Symbol.asyncDispose]()
      await other[Symbol.asyncDispose]()
      await storage.remove()
    }
  })

  test('says in a sentence that the package is missing', async () => {
    const storage = await createStorage()
    const env = { ...environmentOf(storage), ...settings, ...preloaded('models/without-onnx.ts') }
    const { exit, stderr } = await failedStart(env)
    await storage.remove()
    expect(exit.code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([
      'local models cannot be used:',
      expect.stringMatching(/^ {2}they need the package onnxruntime-node.*npm install brings it/),
    ])
  })
})
