import { findFormat } from '../../adapters/parsers/formats.ts'
import { withFile } from '../../adapters/parsers/open-file.ts'
import { chunk } from '../../domain/chunks/chunk.ts'
import { parseLimits } from '../../model/parse-limits.ts'
import { type FileToParse, type ParsedFile, ParseError } from '../../ports/parser.ts'
import { withStorableFields, withStorableText } from './storable.ts'

/** Parses a file here and now, without limits of time and memory. Errors: ParseError, and any that a library throws. */
export const parseFile = (file: FileToParse): Promise<ParsedFile> =>
  withFile(file, async (open) => {
    const read = await (await findFormat(open)).load()
    const structure = withStorableText(await read(open))
    const { text, textIsFile } = structure
    if (text !== null && text.length > parseLimits.textBytes) {
      throw new ParseError('too_large', 'The file has more than 64 MiB of text.')
    }
    if (!structure.isArchive && structure.attachments.length > parseLimits.attachments) {
      throw new ParseError('too_large', 'The file has more than 100 attachments.')
    }
    const units = chunk(structure).map(withStorableFields)
    if (units.length > parseLimits.units)
      throw new ParseError('too_many_units', 'The file makes more than 10,000 Units.')
    if (units.length === 0 && structure.attachments.length === 0) throw new ParseError('empty', 'The file has no text.')
    return {
      mime: structure.mime,
      text: textIsFile && isUtf8(structure.charset) ? null : text,
      textIsFile,
      charset: structure.charset,
      units,
      attachments: [...structure.attachments],
    }
  })

const isUtf8 = (charset: string | null): boolean => /^utf-?8$/i.test(charset ?? '')
