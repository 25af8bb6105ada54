import type { FieldsData } from '@kenjiuno/msgreader'
import { parse as parseHtml } from 'parse5'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { decodeText } from './decode-text.ts'
import { addMessage } from './read-email.ts'
import { rtfText } from './read-rtf.ts'
import { oneLine, TextBuilder } from './text-builder.ts'

/** What a contact says besides its name. */
const contactFields = [
  ['Company', 'companyName'],
  ['Title', 'title'],
  ['Department', 'departmentName'],
  ['E-mail', 'email1EmailAddress'],
  ['Business phone', 'businessTelephoneNumber'],
  ['Home phone', 'homeTelephoneNumber'],
  ['Mobile phone', 'mobileTelephoneNumber'],
  ['Business fax', 'businessFaxNumber'],
  ['Business address', 'workAddress'],
  ['Web page', 'businessHomePage'],
] as const

function contactOf(message: FieldsData): string {
  if (!/^IPM\.Contact/i.test(message.messageClass ?? '')) return ''
  const lines = contactFields.map(([label, field]) => [label, oneLine(message[field] ?? '')])
  const written = lines.filter(([, value]) => value !== '').map(([label, value]) => `${label}: ${value}`)
  return written.length === 0 ? '' : `${written.join('\n')}\n\n`
}

/** Within one organization, Outlook writes a path in its directory in place of an address. */
const addressOf = (smtp: string | undefined, email = '') => smtp ?? (email.startsWith('/') ? '' : email)

/** UTF-16, UTF-8, and ASCII. */
const unicodePages = [1200, 65001, 20127]

/** Texts are in the encoding that Windows has for a language. The message may name the one that mail is sent in. */
const windowsPages: Readonly<Record<number, number>> = {
  ...{ 50220: 932, 50221: 932, 50222: 932, 51932: 932, 51949: 949, 50225: 949, 51936: 936, 52936: 936, 20866: 1251 },
  ...{ 21866: 1251, 28591: 1252, 28592: 1250, 28595: 1251, 28597: 1253, 28598: 1255, 38598: 1255, 28599: 1254 },
}

/** A message that Outlook has saved, as it is sent: who wrote to whom, the text, attachments as documents of their own. */
export async function readMsg(file: OpenFile): Promise<Structure> {
  const { default: library } = await import('@kenjiuno/msgreader')
  const MsgReader = library.default
  const { decompressRTF } = await import('@kenjiuno/decompressrtf')
  try {
    const bytes = Uint8Array.from(await file.readAll()).buffer
    let reader = new MsgReader(bytes)
    let message = reader.getFileData()
    const page = message.internetCodepage ?? message.messageCodepage ?? unicodePages[0]
    if (page !== undefined && !unicodePages.includes(page)) {
      // Which encoding the texts have stands in the message.
      reader = new MsgReader(bytes)
      reader.parserConfig = { ansiEncoding: `cp${windowsPages[page] ?? page}` }
      message = reader.getFileData()
    }
    if (message.error) throw new Error(message.error)
    const out = new TextBuilder()
    const people = (kind: string) =>
      (message.recipients ?? [])
        .filter(({ recipType = 'to' }) => recipType === kind)
        .map(({ name = '', smtpAddress, email }) => ({ name, address: addressOf(smtpAddress, email) }))
    const html = message.bodyHtml ?? (message.html && decodeText(message.html).text) ?? ''
    const rtf =
      message.compressedRtf && html === '' && !message.body
        ? Uint8Array.from(decompressRTF([...message.compressedRtf]))
        : null
    addMessage(
      {
        subject: message.subject ?? '',
        from: [{ name: message.senderName ?? '', address: addressOf(message.senderSmtpAddress, message.senderEmail) }],
        to: people('to'),
        cc: people('cc'),
        bcc: people('bcc'),
        date: message.messageDeliveryTime ?? message.clientSubmitTime ?? message.creationTime ?? '',
        text: `${contactOf(message)}${rtf ? rtfText(rtf) : (message.body ?? '')}`,
        html: html === '' ? null : parseHtml(html),
      },
      out,
    )
    const attachments = (message.attachments ?? []).map((attachment, i): Attachment => {
      const { content, fileName } = reader.getAttachment(attachment)
      const name = (attachment.fileName ?? fileName ?? attachment.name ?? `attachment-${i + 1}`).replaceAll('\0', '')
      return { name: attachment.innerMsgContent && !name.endsWith('.msg') ? `${name}.msg` : name, bytes: content }
    })
    return out.structure(
      'application/vnd.ms-outlook',
      attachments.filter(({ bytes }) => bytes.length > 0),
    )
  } catch (error) {
    if (error instanceof ParseError) throw error
    throw new ParseError('malformed', 'The message is damaged.')
  }
}
