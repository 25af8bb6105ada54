/**
 * The speed and the peak memory of the service's parser: `npm run bench:ingest-files`. PDFs and Markdown are those
 * beside the project, if they are there; large files are made here.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createParserPool } from '../../src/wiring/parsing/parser-pool.ts'
import { readArguments } from '../support/arguments.ts'
import { benchDir, exitOnSignals } from '../support/leave-nothing.ts'
import { printTable, short } from '../support/table.ts'
import { largeLog, largeMarkdown, largeRecording } from './large-files.ts'
import { passOverHttp } from './over-http.ts'
import { peakOfChildren } from './peak-memory.ts'

exitOnSignals()
readArguments({})
const mebibyte = 2 ** 20
const rounds = 5
const folder = benchDir('ingest-files')
const shared = (path: string) => fileURLToPath(new URL(`../../../shared/data/${path}`, import.meta.url))
const rows: string[][] = []

/** Parses files one after the other in a process of their own, after a first round that does not count. */
async function measure(
  name: string,
  paths: readonly string[],
  times: number,
  amount: (seconds: number, pages: number) => string,
) {
  const pool = createParserPool({ workers: 1, memoryBytes: 512 * mebibyte, timeoutMs: 120_000 })
  const memory = peakOfChildren()
  let [units, pages] = [0, 0]
  const round = async () => {
    ;[units, pages] = [0, 0]
    for (const path of paths) {
      const parsed = await pool.parse({ path, name: path, sidecar: null }, new AbortController().signal)
      units += parsed.units.length
      pages += (parsed.text?.split('\f').length ?? 1) - 1
    }
  }
  if (times > 1) await round()
  const seconds: number[] = []
  for (let i = 0; i < times; i++) {
    const started = performance.now()
    await round()
    seconds.push((performance.now() - started) / 1000)
  }
  const median = seconds.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? Number.NaN
  rows.push([name, short(units), short(median), amount(median, pages), short(memory.stop() / mebibyte)])
  await pool.close()
}

const pdfs = shared('files/pdf/')
if (existsSync(pdfs)) {
  const locked = '2206.01062_pg3.pdf'
  const names = readdirSync(pdfs).filter((name) => name !== locked)
  const paths = names.map((name) => join(pdfs, name))
  await measure(`${names.length} PDFs`, paths, rounds, (seconds, pages) => `${short(pages / seconds)} pages`)
} else console.error('skipped: the PDFs are not beside the project')

const corpora = shared('chunking/')
if (existsSync(corpora)) {
  const paths = readdirSync(corpora)
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(corpora, name))
  await measure(
    '3 pages of Markdown',
    paths,
    rounds,
    perSecond(paths.reduce((sum, path) => sum + readFileSync(path).length, 0)),
  )
}

const markdown = join(folder.path, 'large.md')
writeFileSync(markdown, largeMarkdown(9_900))
await measure('Markdown, 9,900 Units', [markdown], 3, perSecond(readFileSync(markdown).length))

const log = join(folder.path, 'large.log')
await largeLog(log, 500 * mebibyte)
await measure('log of 500 MiB', [log], 1, perSecond(500 * mebibyte))

const recording = join(folder.path, 'large.wav')
await largeRecording(recording, 500 * mebibyte)
await measure('recording of 500 MiB', [recording], 1, perSecond(500 * mebibyte))

printTable('Files, one parsing process', ['file', 'Units', 'seconds', 'per second', 'peak MiB'], rows)

const passages: string[][] = []
for (const path of [recording, log, markdown]) {
  const { sent, parsed, served, units, growth } = await passOverHttp(folder.path, path)
  passages.push([basename(path), short(units), short(sent), short(parsed), short(served), short(growth / mebibyte)])
}
printTable(
  'Over HTTP: sent, made a document, served',
  ['file', 'Units', 'sent s', 'document s', 'served s', 'service grew by MiB'],
  passages,
)

function perSecond(bytes: number): (seconds: number) => string {
  return (seconds) => `${short(bytes / mebibyte / seconds)} MiB`
}
