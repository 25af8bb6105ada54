/**
 * What the parser reads of files that other projects test with, beside what another tool reads:
 * `npm run bench:parsers -- FILES REFERENCES`. FILES has a folder for each format, REFERENCES has the same with the texts
 * that the other tool gave, each named as its file with `.txt` after it. bench/RESULTS.md says which tools.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { ParsedFile, ParseError, Parser } from '../../src/ports/parser.ts'
import { createParserPool } from '../../src/wiring/parsing/parser-pool.ts'
import { peakOfChildren } from '../ingest-files/peak-memory.ts'
import { readArguments } from '../support/arguments.ts'
import { printMarkdown, short } from '../support/table.ts'

const mebibyte = 2 ** 20
const never = new AbortController().signal
const [files, references] = readArguments({ allowPositionals: true }).positionals
if (!files || !references) throw new Error('usage: npm run bench:parsers -- FILES REFERENCES')

const newPool = () => createParserPool({ workers: 1, memoryBytes: 512 * mebibyte, timeoutMs: 120_000 })
const unread = (error: unknown) => (error as ParseError).reason ?? String(error)

/** How often each word is in a text. */
function wordsOf(text: string): Map<string, number> {
  const found = new Map<string, number>()
  for (const word of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [])
    found.set(word, (found.get(word) ?? 0) + 1)
  return found
}

const total = (words: Map<string, number>) => words.values().reduce((sum, count) => sum + count, 0)

function compared(ours: Map<string, number>, theirs: Map<string, number>) {
  const common = theirs.entries().reduce((sum, [word, count]) => sum + Math.min(count, ours.get(word) ?? 0), 0)
  return { recall: common / total(theirs), precision: total(ours) === 0 ? Number.NaN : common / total(ours) }
}

/** What a search finds of a file: its text, and that of the files in it. `path` is in a folder of its own. */
async function textOf(parser: Parser, path: string, level = 0): Promise<string> {
  const parsed = await parser.parse({ path, name: path, sidecar: null }, never)
  const texts = [ownText(parsed)]
  for (const [i, attachment] of (level > 2 ? [] : parsed.attachments).entries()) {
    const inner = join(await mkdtemp(join(dirname(path), `${i}-`)), basename(attachment.name).slice(-60))
    await writeFile(inner, 'path' in attachment ? await readFile(attachment.path) : attachment.bytes)
    texts.push(attachment.name, await textOf(parser, inner, level + 1).catch(() => ''))
  }
  return texts.join('\n')
}

/** What is taken out of a file, with the headings that stand above it: names of sheets, titles of pages. */
function ownText({ textIsFile, text, units }: ParsedFile): string {
  const own = textIsFile || text === null ? units.map((unit) => unit.text ?? '').join('\n') : text
  const headings = new Set(units.map(({ title }) => title?.split(' > ').at(-1) ?? ''))
  return [...[...headings].filter((heading) => !own.includes(heading)), own].join('\n')
}

function spread(values: readonly number[]): string[] {
  const sorted = values.filter((value) => !Number.isNaN(value)).toSorted((a, b) => a - b)
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length
  const median = ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
  return [median, mean].map((value) => value.toFixed(3).replace(/^0/, ''))
}

const rows: string[][] = []
const sizes: { path: string; bytes: number }[] = []
const folder = await mkdtemp(join(tmpdir(), 'parsers-'))
const parser = newPool()
for (const format of readdirSync(files)) {
  const found: ReturnType<typeof compared>[] = []
  let count = 0
  for (const name of readdirSync(join(files, format))) {
    const path = join(files, format, name)
    sizes.push({ path, bytes: statSync(path).size })
    const theirs = wordsOf(reference(join(references, format, `${name}.txt`)))
    // Without words there is nothing to compare.
    if (total(theirs) < 5) continue
    count++
    const copy = join(await mkdtemp(join(folder, 'file-')), name)
    await copyFile(path, copy)
    try {
      const result = compared(wordsOf(await textOf(parser, copy)), theirs)
      found.push(result)
      if (result.recall < 0.85) console.error(`${path}: recall ${short(result.recall)} of ${total(theirs)} words`)
    } catch (error) {
      console.error(`${path}: ${unread(error)}`)
    }
    await rm(dirname(copy), { recursive: true })
  }
  rows.push([
    format,
    short(count),
    short(found.length),
    ...spread(found.map(({ recall }) => recall)),
    ...spread(found.map(({ precision }) => precision)),
  ])
}
await parser.close()
printMarkdown(['format', 'files', 'read', 'recall: median', 'mean', 'precision: median', 'mean'], rows)

const largest: string[][] = []
for (const { path, bytes } of sizes.toSorted((a, b) => b.bytes - a.bytes).slice(0, 20)) {
  const pool = newPool()
  const memory = peakOfChildren()
  const started = performance.now()
  const copy = join(await mkdtemp(join(folder, 'large-')), basename(path))
  await copyFile(path, copy)
  const outcome = await pool
    .parse({ path: copy, name: path, sidecar: null }, never)
    .then(({ units }) => short(units.length), unread)
  const seconds = (performance.now() - started) / 1000
  largest.push([basename(path), short(bytes / mebibyte), outcome, short(seconds), short(memory.stop() / mebibyte)])
  await pool.close()
}
await rm(folder, { recursive: true })
console.log('')
printMarkdown(['file', 'MiB', 'Units', 'seconds', 'peak MiB'], largest)

function reference(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
