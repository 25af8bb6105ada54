import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readGoldenFile, readOptions } from '../../../src/cli/evaluate/command.ts'
import { evaluate } from '../../../src/cli/evaluate/run.ts'
import { boot, type TestApp } from '../../support/boot.ts'
import { evaluationsOf } from '../../support/evaluations.ts'
import { type LoggedServer, listen } from '../../support/process/http-server.ts'

const program = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

let app: TestApp
let server: LoggedServer
let folder: string
let token: string
beforeAll(async () => {
  app = await boot()
  server = await listen(app)
  folder = await mkdtemp(join(tmpdir(), 'evaluate-cli-'))
  token = await app.principal({ id: 'ana', namespace: 'acme' })
  const units = [
    { external_id: 'cat', text: 'The ferry cat is called Bollard.' },
    { external_id: 'pump', text: 'The bilge pump is serviced every 90 days.' },
  ]
  await app.call('POST', '/v1/ingest', { token, scope: 'yard', body: { units } })
})
afterAll(async () => {
  await server.close()
  await app.close()
  await rm(folder, { recursive: true })
})

async function run(...args: string[]) {
  const { NODE_COMPILE_CACHE = '' } = process.env
  const env = { NODE_COMPILE_CACHE, SVC_TOKEN: token }
  const child = spawn(process.execPath, [program, 'evaluate', '--url', server.url, ...args], {
    env,
    timeout: 180_000,
    killSignal: 'SIGKILL',
  })
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  return { code, stdout, stderr }
}

async function file(name: string, ...lines: (object | string)[]): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
  return path
}

test('writes a file, runs it, prints a table and publishes', async () => {
  const cats = Array.from({ length: 11 }, (_, i) => ({ q: `ferry cat ${i}`, expected_external_ids: ['cat'] }))
  const pump = { q: 'bilge pump', expected_external_ids: ['pump'], expected_answers: ['every 90 days'] }
  const golden = await file('golden.jsonl', ...cats, '', pump)
  const ran = await run('--file', golden, '--publish')
  expect(ran).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(asked \d+ of 12\n)*asked 12 of 12\n$/) })
  expect(ran.stdout).toMatch(/^metric +mean +95 % interval +queries$/m)
  expect(ran.stdout).toMatch(/^ndcg@10 +1\.000 +\[1\.000, 1\.000\] +12$/m)
  expect(ran.stdout).toMatch(/^answer_recall +1\.000 .* 1$/m)
  expect(ran.stdout).toMatch(/^search +[\d.]+ ms +[\d.]+ ms +12$/m)
  const { body } = await app.call('GET', '/v1/eval', { token })
  expect(body.evals).toContainEqual({ metric: 'ndcg@10', mean: 1, low: 1, high: 1, queries: 12 })

  const missing = { q: 'ferry cat 0', expected_external_ids: ['lost'] }
  const smaller = await file('smaller.jsonl', missing, pump)
  const short = await run('--file', smaller, '--replace', '--no-answers', '--json', '--publish', '--min', 'ndcg@10=.6')
  expect(short).toMatchObject({ code: 1, stderr: 'asked 2 of 2\nndcg@10 is 0.500, below 0.6\n' })
  expect(JSON.parse(short.stdout)).toMatchObject({ queries: 2, evals: [{ metric: 'ndcg@10', mean: 0.5 }, {}, {}] })
  // A run below the required scores is not published.
  expect((await app.call('GET', '/v1/eval', { token })).body).toEqual(body)
})

test('compares weights of vectors with --fit, and publishes nothing', async () => {
  const before = (await app.call('GET', '/v1/eval', { token })).body
  const golden = await file(
    'fit.jsonl',
    { q: 'what is the ferry cat called', expected_external_ids: ['cat'] },
    { q: 'bilge pump', expected_external_ids: ['pump'] },
  )
  const ran = await run('--file', golden, '--replace', '--fit')
  expect(ran).toMatchObject({ code: 0 })
  expect(ran.stderr).toMatch(/asked 12 of 12\n$/)
  expect(ran.stdout).toMatch(/^weight +ndcg@10 +less the default$/m)
  expect(ran.stdout).toMatch(/^8 +1\.000 +\+0\.000 ± 0\.000$/m)
  expect(ran.stdout).toContain('2 queries; no weight is significantly better than the default, 2')
  expect((await app.call('GET', '/v1/eval', { token })).body).toEqual(before)
})

test('continues with a run that broke off', async () => {
  const golden = evaluationsOf(app)
  const { data } = await golden.evaluate({ limit: 1, answers: false }, { token })
  const ran = await run('--run', data.run.id, '--json')
  expect(ran.code).toBe(0)
  expect(JSON.parse(ran.stdout)).toMatchObject({ run: data.run.id, queries: data.run.total })
})

test('asks again where there was no answer, but takes a no for one', async () => {
  const answers = [502, 200]
  const report = { evals: [], benchmarks: [], queries: 0, degraded: 0 }
  const found = { data: { evaluate: { run: { id: 'r', total: 0, asked: 0, report } } } }
  const flaky = createServer((_, response) => {
    const status = answers.shift() ?? 500
    response.writeHead(status).end(status === 200 ? JSON.stringify(found) : 'bad gateway')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void flaky.close())
  await new Promise((resolve) => flaky.once('listening', resolve))
  const url = `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`
  const settings = { run: undefined, answers: undefined, rerank: undefined }
  expect(await evaluate({ url, token: 't' }, settings, () => {})).toEqual({ id: 'r', report })
  expect(answers).toEqual([])

  const requests = () => server.lines.filter(({ msg }) => msg === 'request').length
  const before = requests()
  const refused = evaluate({ url: server.url, token }, { ...settings, run: 'eval_none' }, () => {})
  await expect(refused).rejects.toThrow(/^no such run: it must be/)
  expect(await server.requests(before + 1)).toHaveLength(before + 1)
})

test.each([
  [['--replace'], /--replace takes a --file/],
  [['--run', 'r', '--rerank'], /cannot be combined with --file, --answers or --rerank/],
  [['--fit', '--publish'], /cannot be combined with .*--publish/],
  [['--min', 'ndcg@10'], /METRIC=VALUE/],
  [['--token-file', '/nowhere/token'], /ENOENT/],
  [['--wrong'], /--wrong/],
  [['--url', 'nowhere'], /--url must be/],
])('%j is refused', async (args, problem) => {
  await expect(readOptions(args, { SVC_TOKEN: token })).rejects.toThrow(problem)
})

test('what is refused is exit 2', async () => {
  const refused = (problem: string) => ({ code: 2, stdout: '', stderr: expect.stringContaining(problem) })
  expect(await run('--wrong')).toMatchObject(refused('--wrong'))
  expect(await run('--namespace', 'foreign')).toMatchObject(refused('namespace'))
  const wrong = await file('wrong.jsonl', { q: 'a', expected_answers: ['a'] }, '{')
  expect(await run('--file', wrong)).toMatchObject(refused('wrong.jsonl:2: not JSON'))
})

test('names the line of a file that is wrong', async () => {
  const right = { q: 'a', expected_answers: ['a'] }
  for (const [wrong, problem] of [
    ['{', 'not JSON'],
    [{ q: 'b', expected_unit_id: ['x'] }, 'expected_unit_id'],
    [{ expected_answers: ['a'] }, 'q: '],
  ] as const) {
    const read = readGoldenFile(await file('wrong.jsonl', right, wrong))
    await expect(read).rejects.toThrow(/wrong\.jsonl:2: /)
    await expect(read).rejects.toThrow(problem)
  }
})
