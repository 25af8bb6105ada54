import type { Format, OpenFile } from '../../ports/format.ts'
import { ParseError } from '../../ports/parser.ts'
import { isText } from './file/is-text.ts'
import { formats } from './formats.ts'
import { plainText } from './text-formats.ts'

/**
 * The format of a file: by content, then by extension. Errors: `malformed` for a file that has a format's extension and
 * can't be one, `unsupported` for other binary files.
 */
export async function findFormat(file: OpenFile): Promise<Format> {
  const readable = isText(file.head)
  for (const format of formats) {
    if (format.kind === 'text' && !readable) continue
    if (await format.claims?.(file)) return format
  }
  const named = formats.find(({ extensions }) => extensions.includes(file.extension))
  if (named && (named.kind === 'binary' || !readable)) {
    throw new ParseError('malformed', `The file is named like ${named.name} and isn't one.`)
  }
  if (!readable) throw new ParseError('unsupported', 'Files of this type are not supported.')
  return named ?? plainText
}
