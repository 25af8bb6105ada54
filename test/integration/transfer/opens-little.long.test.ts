import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot } from '../../support/boot.ts'
import { createStorage, type TestStorage } from '../../support/database/database.ts'
import { tempDir } from '../../support/temp-dir.ts'
import { transferOn } from '../../support/transfer/cli.ts'

const files = tempDir('transfer-opens')
const modules = join(files.path, 'modules')
const report = pathToFileURL(fileURLToPath(new URL('../../support/process/report-modules.ts', import.meta.url)))
let source: TestStorage
let target: TestStorage
beforeAll(async () => {
  ;[source, target] = [await createStorage({ embedded: true }), await createStorage()]
  const app = await boot({ storage: source })
  const token = await app.principal({ id: 'clerk', namespace: 'office' })
  const { status } = await app.call('POST', '/v1/ingest', {
    token,
    scope: 'memos',
    body: { units: [{ text: 'memo' }] },
  })
  expect(status).toBe(200)
  await app.close({ keep: true })
})
afterAll(async () => {
  await Promise.all([source.remove(), target.remove()])
  files.remove()
})

/** Packages of vendors, and the modules that begin threads and processes. */
const unneeded =
  /\/node_modules\/(stripe|@pinecone-database|meilisearch|@redis|@aws-sdk|better-auth|nodemailer|ai|@ai-sdk|graphql)\/|\/(embedded-index|wiring\/models|parser-pool|console-sessions|onnx-models|runtime)\.ts$/

test('neither an export nor an import dials, loads or waits for what it does not use', async () => {
  // It accepts connections and never answers.
  let dialled = 0
  const silent = createServer((socket) => {
    dialled += 1
    socket.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const nowhere = `127.0.0.1:${(silent.address() as AddressInfo).port}`
  const settings = {
    NODE_OPTIONS: `--import=${report}`,
    REPORT_MODULES: modules,
    VECTOR_INDEX: 'pinecone',
    PINECONE_API_KEY: 'unused',
    PINECONE_CONTROLLER_HOST: `http://${nowhere}`,
    MEILI_URL: `http://${nowhere}`,
    MEILI_KEY: 'unused-unused-unused',
    REDIS_URL: `redis://${nowhere}`,
    SMTP_URL: `smtp://${nowhere}`,
    MAIL_FROM: 'service@example.com',
    STRIPE_SECRET_KEY: 'sk_test_unused',
    STRIPE_WEBHOOK_SECRET: 'whsec_unused',
    INFERENCE: 'openai',
    INFERENCE_BASE_URL: `http://${nowhere}/v1`,
    EMBED_MODEL: 'unused',
    EMBED_DIMS: '8',
    CHAT_MODEL: 'unused',
    AUTH_SECRET: 'what an unused sign-in would need',
  }
  try {
    const file = join(files.path, 'office.gz')
    for (const [storage, ...args] of [
      [source, 'export', '--all', file],
      [target, 'import', file],
    ] as const) {
      expect(await transferOn(settings, storage, ...args)).toMatchObject({ code: 0 })
      const loaded = readFileSync(modules, 'utf8').trimEnd().split('\n')
      expect(loaded.some((url) => url.endsWith('/src/wiring/transfer.ts'))).toBe(true)
      expect(loaded.filter((url) => unneeded.test(url))).toEqual([])
    }
    expect(dialled).toBe(0)
  } finally {
    silent.close()
  }
})
