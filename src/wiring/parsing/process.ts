import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { Worker } from 'node:worker_threads'
import { findFormat } from '../../adapters/parsers/formats.ts'
import { withFile } from '../../adapters/parsers/open-file.ts'
import { pictureMime } from '../../adapters/parsers/picture-size.ts'
import { answerCalls } from '../../async/calls.ts'
import { chunk } from '../../domain/chunks/chunk.ts'
import { parseLimits } from '../../model/parse-limits.ts'
import type { PackedFile, Structure } from '../../ports/format.ts'
import {
  type FileToParse,
  type Member,
  type PagePicture,
  type ParsedFile,
  type ParsedUnit,
  ParseError,
} from '../../ports/parser.ts'
import type { ParserCalls, Reply, Request, Rest, WatchdogData } from './messages.ts'

// A process that parses files, one at a time. A file that exhausts its memory or its time takes nothing else with it.

const workerData: WatchdogData = { parent: process.ppid, maxBytes: Number(process.argv[2]) }
new Worker(new URL('./watchdog.ts', import.meta.url), { workerData }).unref()

async function answer(request: Request): Promise<Reply> {
  try {
    const { file, pages } = request
    const result = await (pages ? pagePictures(file, pages) : parseFile(file))
    if (Array.isArray(result)) return { result, more: false, memory: process.memoryUsage.rss() }
    left = { text: result.text ?? '', units: result.units }
    const { more, units, text } = nextPart()
    const part = { ...result, units, text: result.text === null ? null : text }
    return { result: part, more, memory: process.memoryUsage.rss() }
  } catch (error) {
    const { reason, detail } = error instanceof ParseError ? error : internal
    return { reason, detail, memory: process.memoryUsage.rss() }
  }
}

/** Characters of a message. */
const partLength = 4_000_000

/** What has not been sent yet. */
let left: Pick<Rest, 'text' | 'units'> = { text: '', units: [] }

function nextPart(): Rest {
  const text = left.text.slice(0, partLength)
  let [count, length] = [0, text.length]
  while (count < left.units.length && length < partLength) length += left.units[count++]?.text?.length ?? 0
  // Only now: until then their texts are parts of the file's.
  const units = left.units.slice(0, count).map(withStorableFields)
  left = { text: left.text.slice(partLength), units: left.units.slice(count) }
  return { text, units, more: left.text !== '' || left.units.length > 0 }
}

const internal = { reason: 'internal', detail: 'The file could not be parsed.' } as const

answerCalls<ParserCalls>({ parse: answer, rest: nextPart })
process.on('disconnect', () => process.exit())

/**
 * Parses a file here and now, without limits of time and memory. The Units still need `withStorableFields`. Errors:
 * ParseError, and any that a library throws.
 */
const parseFile = (file: FileToParse): Promise<ParsedFile> =>
  withFile(file, async (open) => {
    const read = await (await findFormat(open)).load()
    const structure = withStorableText(await read(open))
    const { text, textIsFile } = structure
    if (text !== null && text.length > parseLimits.textBytes) {
      throw new ParseError('too_large', 'The file has more than 64 MiB of text.')
    }
    if (structure.attachments.length > parseLimits.attachments) {
      throw new ParseError('too_large', 'The file has more than 100 attachments.')
    }
    const attachments = structure.members ? await unpacked(structure.members, file.path) : structure.attachments
    const units = chunk(structure)
    if (units.length > parseLimits.units)
      throw new ParseError('too_many_units', 'The file makes more than 10,000 Units.')
    if (units.length === 0 && attachments.length === 0) throw new ParseError('empty', 'The file has no text.')
    return {
      mime: structure.mime,
      text: textIsFile && isUtf8(structure.charset) ? null : text,
      textIsFile,
      charset: structure.charset,
      units,
      attachments: [...attachments],
    }
  })

/** Puts the members of an archive beside it. Empty ones say nothing. Errors: `too_large`. */
async function unpacked(members: AsyncIterable<PackedFile>, archive: string): Promise<Member[]> {
  const found: Member[] = []
  for await (const { name, content } of members) {
    if (found.length === parseLimits.archiveEntries)
      throw new ParseError('too_large', 'The archive has more than 10,000 entries.')
    const path = `${archive}.${found.length + 1}`
    await pipeline(content, createWriteStream(path, { mode: 0o600 }))
    if ((await stat(path)).size > 0) found.push({ name, path })
  }
  return found
}

const isUtf8 = (charset: string | null): boolean => /^utf-?8$/i.test(charset ?? '')

/** Pictures of pages, here and now, without limits of time and memory. */
const pagePictures = (file: FileToParse, pages: readonly number[]): Promise<(PagePicture | null)[]> =>
  withFile(file, async (open) => {
    if (pictureMime(open.head) === 'image/tiff')
      return (await import('../../adapters/parsers/read-media.ts')).tiffPictures(open, pages)
    const { picturesOfPages } = await import('../../adapters/parsers/pdf/page-pictures.ts')
    return picturesOfPages(open, pages)
  })

/** Text that every store can hold. NUL and unpaired surrogates become U+FFFD, so that offsets stay as they are. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

const storableOrNull = (text: string | null) => (text === null ? null : storable(text))

/** Fonts and archives can name any character. The text of a text file is not changed: it is checked on decoding. */
const withStorableText = (structure: Structure): Structure =>
  structure.textIsFile ? structure : { ...structure, text: storableOrNull(structure.text) }

const withStorableFields = (unit: ParsedUnit): ParsedUnit => ({
  ...unit,
  text: storableOrNull(unit.text),
  title: storableOrNull(unit.title),
  metadata: Object.fromEntries(
    Object.entries(unit.metadata).map(([name, value]) => [name, typeof value === 'string' ? storable(value) : value]),
  ),
})
