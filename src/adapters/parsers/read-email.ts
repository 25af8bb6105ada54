import { parse as parseHtml } from 'parse5'
import PostalMime, { type Address, type Email, type Attachment as Part } from 'postal-mime'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { isLarge, pictureMime } from './picture-size.ts'
import { addHtml } from './read-html.ts'
import { oneLine, TextBuilder } from './text-builder.ts'

/** Who wrote to whom, and the message. Its subject is the heading; attachments are documents of their own. */
export async function readEmail(file: OpenFile): Promise<Structure> {
  const message = await messageOf(await file.readAll())
  const out = new TextBuilder()
  const subject = oneLine(message.subject ?? '')
  if (subject !== '') out.addHeading(1, subject)
  out.add(people(message))
  const text = message.text?.replaceAll('\r\n', '\n').trim() ?? ''
  if (text !== '') out.add(text)
  else if (message.html) addHtml(parseHtml(message.html), out)
  return {
    mime: 'message/rfc822',
    text: out.text,
    textIsFile: false,
    charset: null,
    blocks: out.blocks,
    units: [],
    attachments: message.attachments.flatMap(attachmentOf),
  }
}

async function messageOf(bytes: Uint8Array): Promise<Email> {
  try {
    const message = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer', maxNestingDepth: 50 })
    if (message.headerLines.some(({ line }) => /^[\w-]+:/.test(line))) return message
  } catch {
    // Reported below.
  }
  throw new ParseError('malformed', 'The file is not an e-mail message.')
}

function people({ from, to, cc, date }: Email): string {
  const lines = [
    ['From', from ? [from] : []],
    ['To', to ?? []],
    ['Cc', cc ?? []],
  ] as const
  const named = lines
    .filter(([, list]) => list.length > 0)
    .map(([name, list]) => `${name}: ${list.map(person).join(', ')}`)
  return [...named, ...(date ? [`Date: ${date}`] : [])].join('\n')
}

function person({ name, address, group }: Address): string {
  if (group) return `${name}: ${group.map(person).join(', ')}`
  return [name, address ? `<${address}>` : ''].filter((part) => part !== '').join(' ')
}

/** Pictures in the text of a message are often marks of a few pixels. */
function attachmentOf({ filename, mimeType, content }: Part, i: number): Attachment[] {
  const bytes = new Uint8Array(content as ArrayBuffer)
  if (bytes.length === 0 || (pictureMime(bytes) !== null && !isLarge(bytes))) return []
  return [{ name: filename ?? `attachment-${i + 1}.${extensionOf(mimeType)}`, bytes }]
}

const extensionOf = (mime: string) =>
  mime === 'message/rfc822' ? 'eml' : (mime.split('/')[1] ?? 'bin').replace(/^.*[.+-]/, '')
