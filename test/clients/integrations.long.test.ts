import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, createClient } from '../../clients/typescript/src/index.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { type LoggedServer, listen } from '../support/process/http-server.ts'

/** The packed client in a folder of its own, beside the real packages of the frameworks. */

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const npm = (cwd: string, ...args: string[]) =>
  run('npm', args, { cwd, timeout: 240_000, env: { ...process.env, npm_config_fetch_retries: '5' } })
const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']

const said = 'Three months [1], as [9] says.'
let app: TestApp
let server: LoggedServer
let token: string
let client: Client
let folder: string
const asked: { messages: { role: string; content: string }[]; stream?: boolean }[] = []
const model = createServer(async (request, response) => {
  const body = (await json(request)) as (typeof asked)[number]
  asked.push(body)
  const part = { id: 'x', created: 1, model: 'm' }
  if (!body.stream) {
    response.setHeader('content-type', 'application/json')
    const message = { role: 'assistant', content: said }
    return response.end(JSON.stringify({ ...part, choices: [{ index: 0, message, finish_reason: 'stop' }] }))
  }
  response.setHeader('content-type', 'text/event-stream')
  for (const text of said.split(/(?=\[)/))
    response.write(`data: ${JSON.stringify({ ...part, choices: [{ index: 0, delta: { content: text } }] })}\n\n`)
  const end = { ...part, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  return response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`)
})

beforeAll(async () => {
  app = await boot()
  server = await listen(app)
  token = await app.principal({ id: 'keeper', namespace: 'coast' })
  client = createClient({ baseUrl: server.url, token })
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  const build = join(app.storage.dataDir, 'build/clients/typescript')
  await cp(join(root, 'clients/typescript'), build, {
    recursive: true,
    filter: (path) => !/node_modules|\/dist$/.test(path),
  })
  const installed = join(root, 'clients/typescript/node_modules')
  if (existsSync(installed)) await symlink(installed, join(build, 'node_modules'))
  else await npm(build, 'ci', ...quiet)
  await npm(build, 'run', '--silent', 'build')
  await npm(build, 'pack', '--silent')
  const { version, devDependencies } = JSON.parse(await readFile(join(build, 'package.json'), 'utf8'))
  folder = join(app.storage.dataDir, 'program')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
  const others = ['@langchain/core', '@llamaindex/core', 'ai'].map((name) => `${name}@${devDependencies[name]}`)
  const packed = join(build, `multimodal-retrieval-client-${version}.tgz`)
  await npm(folder, 'install', ...quiet, packed, ...others, '@ai-sdk/openai-compatible@2.0.87')
}, 400_000)
afterAll(async () => {
  model.close()
  await server.close()
  await app.close()
})

/** As a program of that folder imports it. */
const load = async (name: string) => {
  await writeFile(join(folder, 'load.mjs'), 'export const load = (name) => import(name)')
  return (await import(pathToFileURL(join(folder, 'load.mjs')).href)).load(name)
}

const notes = ['The keeper lights the lamp at dusk.', 'The keeper sleeps at noon.', 'Ferries leave twice a day.']

test('LangChain.js: a store with ids, filters, deletion, and a retriever with scope and threshold', async () => {
  const { VectorStore, Retriever } = await load('multimodal-retrieval-client/langchain')
  const { Document } = await load('@langchain/core/documents')
  const selection = { client, scope: 'langchain' }
  const store = new VectorStore(selection)
  const documents = notes.map((pageContent, i) => new Document({ pageContent, metadata: { year: 2020 + i, 'a.b': i } }))
  expect(await store.addDocuments(documents, { ids: ['a', 'b', 'c'] })).toEqual(['a', 'b', 'c'])
  const ids = (found: { id: string }[]) => found.map(({ id }) => id)
  expect(ids(await store.similaritySearch('keeper lamp', 1))).toEqual(['a'])
  expect(ids(await store.similaritySearch('keeper', 5, { metadata: { 'a\\.b': { gt: 0 } } }))).toEqual(['b'])
  const [[best, score]] = await store.similaritySearchWithScore('keeper lamp', 1)
  expect(best.metadata).toEqual({ year: 2020, 'a.b': 0 })
  expect(ids(await store.asRetriever({ k: 1, filter: { metadata: { year: 2021 } } }).invoke('keeper'))).toEqual(['b'])
  expect(ids(await store.maxMarginalRelevanceSearch('keeper', { k: 2, lambda: 0.5 })).sort()).toEqual(['a', 'b'])

  const strict = new Retriever({ ...selection, minScore: score })
  const [found, ...others] = await strict.invoke('keeper lamp')
  expect([found.id, found.metadata, others]).toEqual(['a', expect.objectContaining({ score, scope: 'langchain' }), []])
  const filtered = new Retriever({ ...selection, filters: { metadata: { year: { lt: 2021 } } } })
  expect(ids(await filtered.invoke('keeper'))).toEqual(['a'])
  expect(await new Retriever({ client, scope: 'elsewhere' }).invoke('keeper')).toEqual([])

  await store.delete({ ids: ['a'] })
  await store.delete({ filter: { metadata: { year: 2022 } } })
  expect(ids(await store.similaritySearch('keeper lamp ferries', 5))).toEqual(['b'])

  const embeddings = {
    embedQuery: async (text: string) => [Number(text.includes('east')), 1],
    embedDocuments: async (texts: string[]) => texts.map((text) => [Number(text.includes('east')), 1]),
  }
  const named = ['east', 'west']
  const own = await VectorStore.fromTexts(named, [], embeddings, { client, scope: 'own-vectors' })
  expect((await own.similaritySearch('to the east', 1))[0].pageContent).toBe('east')
})

test('LlamaIndex.TS: a store with every operator, deletion, and a retriever', async () => {
  const { VectorStore, Retriever } = await load('multimodal-retrieval-client/llamaindex')
  const { TextNode, NodeRelationship } = await load('@llamaindex/core/schema')
  const selection = { client, scope: 'llamaindex' }
  const store = new VectorStore(selection)
  const source = { [NodeRelationship.SOURCE]: { nodeId: 'log', metadata: {} } }
  const nodes = notes.map((text, i) => {
    const metadata = { year: 2020 + i, tags: i === 0 ? ['sea', 'night'] : ['sea'], ...(i === 1 && { kind: 'rest' }) }
    return new TextNode({ id_: `n${i}`, text, metadata, relationships: i < 2 ? source : {} })
  })
  expect(await store.add(nodes)).toEqual(['n0', 'n1', 'n2'])
  const query = async (filters: object[], condition = 'and') => {
    const asked = { queryStr: 'keeper ferries', similarityTopK: 5, mode: 'default', filters: { filters, condition } }
    return (await store.query(asked)).ids.sort()
  }
  const year = (operator: string, value: unknown) => query([{ key: 'year', operator, value }])
  expect(await year('==', 2021)).toEqual(['n1'])
  expect(await year('!=', 2021)).toEqual(['n0', 'n2'])
  expect(await year('>', 2021)).toEqual(['n2'])
  expect(await year('>=', 2021)).toEqual(['n1', 'n2'])
  expect(await year('<', 2021)).toEqual(['n0'])
  expect(await year('<=', 2021)).toEqual(['n0', 'n1'])
  expect(await year('in', [2020, 2022])).toEqual(['n0', 'n2'])
  expect(await year('nin', [2020, 2022])).toEqual(['n1'])
  expect(await query([{ key: 'tags', operator: 'any', value: ['night', 'day'] }])).toEqual(['n0'])
  expect(await query([{ key: 'tags', operator: 'all', value: ['sea', 'night'] }])).toEqual(['n0'])
  expect(await query([{ key: 'tags', operator: 'contains', value: 'night' }])).toEqual(['n0'])
  expect(await query([{ key: 'kind', operator: 'text_match', value: 'es' }])).toEqual(['n1'])
  expect(await query([{ key: 'kind', operator: 'is_empty' }])).toEqual(['n0', 'n2'])
  const either = [2020, 2022].map((value) => ({ key: 'year', operator: '==', value }))
  expect([await query(either), await query(either, 'or')]).toEqual([[], ['n0', 'n2']])

  const whole = await store.query({ queryStr: 'lamp', similarityTopK: 1, mode: 'default', docIds: ['log'] })
  expect(whole.nodes[0].toJSON()).toMatchObject({ id_: 'n0', text: notes[0], metadata: { year: 2020 } })
  expect(whole.nodes[0].sourceNode.nodeId).toBe('log')
  const [found] = await new Retriever({ ...selection, k: 1, minScore: whole.similarities[0] }).retrieve('lamp')
  expect([found.node.id_, found.node.metadata.doc_id, found.score]).toEqual(['n0', 'log', expect.any(Number)])
  await store.delete('log')
  expect(await query([])).toEqual(['n2'])
  await store.deleteNodes(['n2'])
  expect(await query([])).toEqual([])
})

test('AI SDK: a tool, and answers whose sources are what they cite', async () => {
  const { citing, searchTool } = await load('multimodal-retrieval-client/ai')
  const { generateText, streamText, wrapLanguageModel } = await load('ai')
  const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible')
  const [unit] = (await client.units.ingest([{ text: 'The notice period is three months.' }], { scope: 'ai' })).units
  const { address, port } = model.address() as AddressInfo
  const chat = createOpenAICompatible({ name: 'chat', baseURL: `http://${address}:${port}/v1` })('m')
  const answering = wrapLanguageModel({ model: chat, middleware: citing({ client, scope: 'ai' }) })
  const prompt = 'What is the notice period?'
  const { text, sources } = await generateText({ model: answering, prompt })
  expect(text).toBe(said)
  expect(asked.at(-1)?.messages[0]?.content).toContain('[1] The notice period is three months.')
  const cited = [{ id: unit?.unit_id, sourceType: 'document', providerMetadata: { retrieval: { marker: 1 } } }]
  expect(sources).toMatchObject(cited)
  const streamed = streamText({ model: answering, prompt })
  expect([await streamed.text, await streamed.sources]).toMatchObject([said, cited])
  const found = await searchTool({ client, scope: 'ai', k: 1 }).execute(
    { query: prompt },
    { toolCallId: '1', messages: [] },
  )
  expect(found).toMatchObject([{ unit_id: unit?.unit_id, text: 'The notice period is three months.' }])
})

test('the programs of the page run', async () => {
  const page = await readFile(join(root, 'docs/connect/javascript.md'), 'utf8')
  const programs = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, program = '']) => program)
  expect(programs).toHaveLength(3)
  const { port } = model.address() as AddressInfo
  for (const [i, program] of programs.entries()) {
    expect(program.trim().split('\n').length).toBeLessThanOrEqual(10)
    const here = program
      .replace('http://127.0.0.1:8787', server.url)
      .replace('svc_sk_…', token)
      .replace('127.0.0.1:11434', `127.0.0.1:${port}`)
    await writeFile(join(folder, `page${i}.ts`), here)
    const { stdout } = await run(process.execPath, [`page${i}.ts`], { cwd: folder })
    expect(stdout.toLowerCase()).toContain('three months')
  }
})
