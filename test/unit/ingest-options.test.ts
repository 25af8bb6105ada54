import { expect, test } from 'vitest'
import { readOptions } from '../../src/cli/ingest/options.ts'
import type { LedgerLine } from '../../src/cli/ingest/report/ledger.ts'
import { count, createOutput, noCounts, summary, textOf } from '../../src/cli/ingest/report/output.ts'

const env = { SVC_TOKEN: 'svc_sk_x', INIT_CWD: '/home/me' }

test('the command line is read, with defaults', async () => {
  expect(await readOptions(['notes'], env)).toEqual({
    service: { url: 'http://127.0.0.1:8787', token: 'svc_sk_x', namespace: undefined, scope: undefined },
    paths: ['/home/me/notes'],
    groups: [],
    metadata: {},
    include: [],
    exclude: [],
    ignoreFiles: true,
    deleteMissing: 'no',
    ...{ force: false, dryRun: false, watch: false, json: false },
    ledger: '/home/me/ingest-ledger.ndjson',
    concurrency: 8,
  })
  const args = '/a b --groups x,*, --metadata k=v=w --metadata n= --delete-missing --hard --no-ignore --url http://h:1'
  expect(await readOptions(args.split(' '), { ...env, SVC_URL: 'http://other' })).toMatchObject({
    service: { url: 'http://h:1' },
    paths: ['/a', '/home/me/b'],
    groups: ['x', '*'],
    metadata: { k: 'v=w', n: '' },
    deleteMissing: 'hard',
    ignoreFiles: false,
  })
})

test.each([
  [[], 'a PATH is needed; try --help'],
  [['a', '--hard'], '--hard takes --delete-missing; try --help'],
  [['a', '--watch', '--dry-run'], '--watch and --dry-run cannot be combined; try --help'],
  [['a', '--url', 'ftp://x'], '--url must be where the service is, such as http://127.0.0.1:8787'],
  [['a', '--concurrency', '0'], '--concurrency takes a number from 1 to 64'],
  [['a', '--metadata', 'x'], '--metadata takes KEY=TEXT, such as year=2026'],
  [['a', '--metadata', 'x=1', '--metadata', 'x=2'], '--metadata x is there twice'],
  [['a', '--token', 'secret'], "unknown option '--token'; try --help"],
])('%j is refused', async (args, problem) => {
  await expect(readOptions(args, env)).rejects.toThrow(problem)
})

const line = (fate: Partial<LedgerLine>): LedgerLine => ({
  ...{ file: 'notes/a.md', doc_id: '', document_id: null, scope: null, status: 'ok', reason: null, detail: null },
  ...{ units: 12, bytes: null, sha256: null, time: 0, ...fate },
})

test('lines say what became of a file, and nothing that a terminal would obey', () => {
  expect(textOf(line({}))).toBe('ok notes/a.md 12 Units')
  expect(textOf(line({ status: 'failed', reason: 'malformed', detail: 'It ends early.' }))).toBe(
    'failed notes/a.md malformed: It ends early.',
  )
  expect(textOf(line({ status: 'failed', reason: 'unreadable' }))).toBe('failed notes/a.md unreadable')
  expect(textOf(line({ status: 'skipped', reason: 'symlink' }))).toBe('skipped notes/a.md symlink')
  expect(textOf(line({ status: 'deleted', file: 'a\u001b[2J\nb' }))).toBe('deleted a\\x1b[2J\\x0ab')
  const counts = noCounts()
  for (const fate of [{}, { status: 'failed', units: 0 }, { status: 'skipped', units: 0 }] as const)
    count(counts, line(fate))
  expect(summary(counts)).toBe('3 files: 1 ok, 0 unchanged, 1 failed, 1 skipped, 0 deleted; 12 Units')
})

function shown(isTTY: boolean, json: boolean) {
  const [out, err] = [[] as string[], [] as string[]]
  const stream = (to: string[]) => ({ isTTY, write: (text: string) => to.push(text) })
  const output = createOutput(stream(out), stream(err), { json }, () => 0)
  output.line(line({}))
  output.progress({ files: 1, bytes: 0 }, { files: 2, bytes: 0 })
  output.line(line({ status: 'failed', reason: 'locked' }))
  output.end()
  return { out: out.join(''), err: err.join('') }
}

test('a terminal gets a bar and the failed files, a pipe each file, and JSON neither', () => {
  expect(shown(false, false)).toEqual({ out: 'ok notes/a.md 12 Units\nfailed notes/a.md locked\n', err: '' })
  expect(shown(true, false)).toEqual({
    out: '',
    err: '\r\u001b[K[###############---------------] 1/2 files, 0 kB of 0 kB, 12 Units, 0 s left\r\u001b[Kfailed notes/a.md locked\n',
  })
  expect(shown(true, true)).toEqual({ out: '', err: 'failed notes/a.md locked\n' })
})
