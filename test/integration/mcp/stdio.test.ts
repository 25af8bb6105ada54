import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { type LoggedServer, listen } from '../../support/process/http-server.ts'
import { runProgram } from '../../support/process/run-program.ts'

const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

let app: TestApp
let server: LoggedServer
let tokenFile: string
beforeAll(async () => {
  app = await boot()
  server = await listen(app)
  const token = await app.principal({ id: 'keeper', namespace: 'coast' })
  tokenFile = join(app.storage.dataDir, 'token')
  await writeFile(tokenFile, `${token}\n`)
})
afterAll(async () => {
  await server.close()
  await app.close()
})

const flags = () => ['--stdio', '--url', server.url, '--token-file', tokenFile]

test.each(['legacy', 'auto'] as const)('the official client connects over stdio (%s)', async (mode) => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, 'mcp', ...flags(), '--scope', 'harbour'],
    stderr: 'pipe',
  })
  await client.connect(transport)
  try {
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('ingest_text')
    const text = `${mode}: the pier \u2028 and the Fähre`
    const { structuredContent } = await client.callTool({ name: 'ingest_text', arguments: { text } })
    const [{ unit_id: id }] = (structuredContent as { units: { unit_id: string }[] }).units as [{ unit_id: string }]
    expect((await client.callTool({ name: 'fetch', arguments: { id } })).structuredContent).toMatchObject({
      text,
      unit: { scope: 'harbour' },
    })
    // An address that a header cannot hold as it is.
    await expect(client.readResource({ uri: 'svc://units/Fähre' })).rejects.toMatchObject({ code: -32602 })
    const refused = await client.callTool({ name: 'search', arguments: { query: 'x', scope: 'elsewhere' } })
    expect(refused).toMatchObject({ isError: true })
  } finally {
    await client.close()
  }
})

const run = (input: string, args: readonly string[], env: Record<string, string> = {}) =>
  runProgram({ args: ['mcp', ...args], env, input })
const ping = { jsonrpc: '2.0', id: 7, method: 'ping' }

test('stdout holds the protocol alone, whatever goes wrong', async () => {
  const spoilt = await run(`no JSON\n\n${JSON.stringify(ping)}\n`, flags())
  expect(spoilt.code).toBe(0)
  const lines = spoilt.stdout.trimEnd().split('\n')
  const answers = lines.map((line) => JSON.parse(line)).sort((a, b) => (a.id ?? 0) - (b.id ?? 0))
  expect(answers).toMatchObject([
    { id: null, error: { code: -32700 } },
    { id: 7, result: {} },
  ])

  const refused = await run(JSON.stringify(ping), ['--stdio', '--url', server.url], { SVC_TOKEN: 'svc_sk_none' })
  expect(JSON.parse(refused.stdout)).toMatchObject({ id: 7, error: { code: -32000, data: { error: 'unauthorized' } } })
  expect(refused.stderr).not.toContain('svc_sk_none')

  const unreachable = ['--stdio', '--url', 'http://127.0.0.1:9', '--token-file', tokenFile]
  expect(JSON.parse((await run(JSON.stringify(ping), unreachable)).stdout)).toMatchObject({ error: { code: -32000 } })
})

test('wrong usage is one sentence on stderr and exit 2', async () => {
  for (const args of [[], ['--stdio', '--tokens', 'x'], ['--stdio', '--url', 'ftp://x'], ['--stdio']]) {
    const { code, stdout, stderr } = await run('', args)
    expect({ code, stdout }, args.join(' ')).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^mcp: [^\n]+\n$/)
  }
})
