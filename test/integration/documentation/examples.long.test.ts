import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'
import { type LoggedServer, listen } from '../../support/process/http-server.ts'
import { runProgram } from '../../support/process/run-program.ts'

const run = promisify(execFile)
const examples = fileURLToPath(new URL('../../../examples/', import.meta.url))

let app: TestApp
let server: LoggedServer
let token: string
beforeAll(async () => {
  app = await boot()
  server = await listen(app)
  token = await app.principal({ id: 'keeper', namespace: 'coast' })
  const units = [
    { text: 'Ines opens the ferry terminal at six.', external_id: 'terminal', metadata: { year: 2026 } },
    { text: 'Nets dry on the pier.', external_id: 'nets' },
  ]
  await app.call('POST', '/v1/ingest', { token, scope: 'harbour', body: { units } })
})
afterAll(async () => {
  await server.close()
  await app.close()
})

const readExample = async (name: string) => {
  const text = await readFile(join(examples, name), 'utf8')
  return JSON.parse(text.replaceAll('http://127.0.0.1:8787', server.url).replaceAll(/\$\{SVC_TOKEN\}/g, token))
}

test('the chat answers from what was searched', async () => {
  const asked: { messages: { content: string }[] }[] = []
  const model = createServer(async (request, response) => {
    asked.push((await json(request)) as (typeof asked)[number])
    const message = { role: 'assistant', content: `answer ${asked.length} [1]` }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ id: 'x', created: 1, model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }),
    )
  })
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  const env = {
    SVC_URL: server.url,
    SVC_TOKEN: token,
    MODEL_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
    MODEL: 'm',
  }
  const input = 'Who opens the ferry terminal?\nAnd when?\n'
  const chat = run(process.execPath, [join(examples, 'rag-chat.ts')], { env: { ...process.env, ...env } })
  chat.child.stdin?.end(input)
  const { stdout, stderr } = await chat
  model.close()
  expect({ stdout, stderr }).toEqual({ stdout: 'answer 1 [1]\nanswer 2 [1]\n', stderr: '' })
  expect(asked[0]?.messages.at(-1)?.content).toContain('[1] Ines opens the ferry terminal at six.')
  expect(asked[1]?.messages).toHaveLength(4)
})

test('the configuration of desktop agents connects over HTTP', async () => {
  const { mcpServers } = await readExample('mcp.json')
  const { url, headers } = mcpServers.retrieval
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  expect((await client.listTools()).tools.length).toBeGreaterThan(4)
  await client.close()
  const { args, env } = mcpServers['retrieval-over-stdio']
  const bridged = await runProgram({
    args: ['mcp', ...args.slice(args.indexOf('--') + 1)],
    env,
    input: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  })
  expect(JSON.parse(bridged.stdout)).toMatchObject({ id: 1, result: {} })
})

test('the request of the n8n workflow answers', async () => {
  const { nodes } = await readExample('n8n.json')
  const node = (id: string) => nodes.find((one: { id: string }) => one.id === id).parameters
  const { method, url, jsonBody } = node('answer')
  const [{ name, value }] = node('question').assignments.assignments
  // As n8n does: what stands in the braces is JavaScript.
  const body = runInNewContext(jsonBody.replace(/^=\{\{(.*)\}\}$/, '$1'), { $json: { [name]: value } })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const { answer } = (await (await fetch(url, { method, headers, body })).json()) as { answer: { text: string } }
  expect(answer.text).toBe('Ines opens the ferry terminal at six. [1]')
})
