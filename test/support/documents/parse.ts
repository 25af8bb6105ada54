import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readConfig } from '../../../src/config.ts'
import type { Attachment, PagePicture, ParsedFile, Parser } from '../../../src/ports/parser.ts'
import { createParserPool, type ParsingConfig } from '../../../src/wiring/parsing/parser-pool.ts'

interface ParseOptions {
  stop?: AbortSignal
  sidecar?: string
}

export interface TestParser extends Parser {
  /** Parses these bytes as a file of this name. The members of an archive are read. */
  parseBytes(
    name: string,
    content: string | Uint8Array,
    options?: ParseOptions,
  ): Promise<Omit<ParsedFile, 'attachments'> & { attachments: Attachment[] }>
  pagePictureBytes(name: string, content: Uint8Array, pages: readonly number[]): Promise<(PagePicture | null)[]>
  [Symbol.asyncDispose](): Promise<void>
}

/** One for what runs in a process: a start of the parser takes half a second of CPU. */
let shared: Parser | undefined
export function sharedParser(): Parser {
  shared ??= createParserPool(readConfig({}).parsing)
  // Each has methods of its own, which its test may replace.
  return { ...shared, close: async () => {} }
}

/** The service's parser, with these limits. Without any it is the shared one. */
export async function createTestParser(config?: Partial<ParsingConfig>): Promise<TestParser> {
  const directory = await mkdtemp(join(tmpdir(), 'parse-'))
  const pool = config
    ? createParserPool({ workers: 1, memoryBytes: 512 * 2 ** 20, timeoutMs: 60_000, ...config })
    : sharedParser()
  const never = new AbortController().signal
  return {
    ...pool,
    parseBytes: async (name, content, { stop = never, sidecar = null } = {}) => {
      const path = join(directory, basename(name))
      await writeFile(path, content)
      const parsed = await pool.parse({ path, name, sidecar }, stop)
      const attachments = parsed.attachments.map(async (each) =>
        'path' in each ? { name: each.name, bytes: await readFile(each.path) } : each,
      )
      return { ...parsed, attachments: await Promise.all(attachments) }
    },
    pagePictureBytes: async (name, content, pages) => {
      const path = join(directory, basename(name))
      await writeFile(path, content)
      return pool.pagePictures({ path, name, sidecar: null }, pages, never)
    },
    [Symbol.asyncDispose]: async () => {
      await pool.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
