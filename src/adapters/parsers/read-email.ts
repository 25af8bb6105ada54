import { isUtf8 } from 'node:buffer'
import { type DefaultTreeAdapterTypes, parse as parseHtml } from 'parse5'
import PostalMime, { type Address, type Email, type Attachment as Part } from 'postal-mime'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { decodeText } from './open-file.ts'
import { isLarge, pictureMime } from './picture-size.ts'
import { addHtml } from './read-html.ts'
import { oneLine, TextBuilder } from './text-builder.ts'

type Node = DefaultTreeAdapterTypes.Node

/** Who wrote to whom, and the message. Its subject is the heading; attachments are documents of their own. */
export async function readEmail(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  // Mail is never sent in UTF-16, of which a text has zeros. An editor may have saved it so.
  const isWide = file.headText !== null && file.head.includes(0)
  const isGuessed = isWide || (!isUtf8(bytes) && !/charset\s*=/i.test(Buffer.from(bytes).toString('latin1')))
  const message = await messageOf(isGuessed ? Buffer.from(decodeText(bytes).text) : bytes)
  const out = new TextBuilder()
  const { subject = '', from, to = [], cc = [], bcc = [], date = '', text = '', html } = message
  addMessage({ subject, from: from ? [from] : [], to, cc, bcc, date, text, html: html ? parseHtml(html) : null }, out)
  return out.structure('message/rfc822', message.attachments.flatMap(attachmentOf))
}

interface Message {
  subject: string
  from: readonly Address[]
  to: readonly Address[]
  cc: readonly Address[]
  bcc: readonly Address[]
  date: string
  /** The plain part, and the page. */
  text: string
  html: Node | null
}

/** Adds a message as a reader sees it. */
export function addMessage(message: Message, out: TextBuilder): void {
  const subject = oneLine(message.subject)
  if (subject !== '') out.addHeading(1, subject)
  out.add(people(message))
  const text = message.text.replaceAll('\r\n', '\n').trim()
  if (message.html === null) {
    out.add(text)
    return
  }
  const page = new TextBuilder()
  addHtml(message.html, page)
  const isSame = share(page.text, text) >= sameWords
  if (isSame || page.text === '') out.add(text)
  else {
    // Some programs write a few words there for readers that show no pages.
    if (wordsOf(text).size > maxStub && share(text, page.text) < sameWords) out.add(text)
    addHtml(message.html, out)
  }
}

/** From this share of the words of a page on, the plain text says the same. */
const sameWords = 0.7
const maxStub = 40

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])

/** How many of the words of a text are in another one. */
function share(text: string, other: string): number {
  const [words, others] = [wordsOf(text), wordsOf(other)]
  return words.size === 0 ? 1 : [...words].filter((word) => others.has(word)).length / words.size
}

async function messageOf(bytes: Uint8Array): Promise<Email> {
  try {
    const message = await PostalMime.parse(bytes, {
      attachmentEncoding: 'arraybuffer',
      maxNestingDepth: 50,
      forceRfc822Attachments: true,
    })
    if (message.headerLines.some(({ line }) => /^[\w-]+:/.test(line))) return message
  } catch {
    // Reported below.
  }
  throw new ParseError('malformed', 'The file is not an e-mail message.')
}

function people({ from, to, cc, bcc, date }: Message): string {
  const named = Object.entries({ From: from, To: to, Cc: cc, Bcc: bcc })
    .map(
      ([name, list]) =>
        [
          name,
          list
            .map(person)
            .filter((each) => each !== '')
            .join(', '),
        ] as const,
    )
    .filter(([, list]) => list !== '')
    .map(([name, list]) => `${name}: ${list}`)
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
