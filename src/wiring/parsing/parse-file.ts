import { createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { findFormat } from '../../adapters/parsers/formats.ts'
import { withFile } from '../../adapters/parsers/open-file.ts'
import { chunk } from '../../domain/chunks/chunk.ts'
import { parseLimits } from '../../model/parse-limits.ts'
import type { PackedFile } from '../../ports/format.ts'
import { type FileToParse, type Member, type ParsedFile, ParseError } from '../../ports/parser.ts'
import { withStorableText } from './storable.ts'

/**
 * Parses a file here and now, without limits of time and memory. The Units still need `withStorableFields`. Errors:
 * ParseError, and any that a library throws.
 */
export const parseFile = (file: FileToParse): Promise<ParsedFile> =>
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
