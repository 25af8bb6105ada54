import type { FieldsData } from '@kenjiuno/msgreader'
import { parse as parseHtml } from 'parse5'
import { charsetOfPage } from '../../model/charset.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { embeddedFile, isTnef } from './ole.ts'
import { decodeText } from './open-file.ts'
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
    const attachments: Attachment[] = []
    for (const [i, attachment] of (message.attachments ?? []).entries()) {
      const { content: bytes, fileName } = reader.getAttachment(attachment)
      const given = (attachment.fileName || fileName || attachment.name || '').replaceAll('\0', '')
      const name = given === '' ? `attachment-${i + 1}` : given
      const inner = `${name.replace(/\.msg$/, '')}.msg`
      // A message, or an object that stands in the text.
      const object = attachment.innerMsgContent ? await embeddedFile(bytes, inner) : null
      attachments.push(object ?? { name: attachment.innerMsgContent ? inner : name, bytes })
    }
    return out.structure(
      'application/vnd.ms-outlook',
      attachments.filter(({ bytes }) => bytes.length > 0),
    )
  } catch (error) {
    if (error instanceof ParseError) throw error
    throw new ParseError('malformed', 'The message is damaged.')
  }
}

/** Attributes (MS-OXTNEF 2.1.3.2) and properties (MS-OXPROPS) that hold what a reader sees. */
const [subject, body, attachmentStart, attachmentTitle, attachmentData, properties, attachmentProperties] = [
  0x8004, 0x800c, 0x9002, 0x8010, 0x800f, 0x9003, 0x9005,
]
const [propSubject, propBody, propRtf, propHtml, propLongName, propName, propData] = [
  0x0037, 0x1000, 0x1009, 0x1013, 0x3707, 0x3704, 0x3701,
]

/** What Outlook packs into `winmail.dat`: the message, and its attachments as documents of their own. */
export async function readTnef(file: OpenFile): Promise<Structure> {
  const data = Buffer.from(await file.readAll())
  const message = new Map<number, Buffer>()
  const own: { name: string; bytes: Buffer }[] = []
  let codePage = 'windows-1252'
  const text = (bytes: Buffer | undefined, isWide = false) =>
    bytes ? new TextDecoder(isWide ? 'utf-16le' : codePage).decode(bytes).replace(/\0+$/, '') : ''
  for (let at = 6; at + 11 <= data.length; ) {
    const id = data.readUInt32LE(at + 1) & 0xffff
    const length = data.readUInt32LE(at + 5)
    const content = data.subarray(at + 9, at + 9 + length)
    if (content.length < length) throw new ParseError('malformed', 'The message is damaged.')
    if (id === 0x9007 && length >= 4) codePage = charsetOfPage(content.readUInt32LE(0))
    else if (id === subject) message.set(propSubject, content)
    else if (id === body) message.set(propBody, content)
    else if (id === properties) for (const [property, value] of propertiesIn(content)) message.set(property, value)
    else if (id === attachmentStart) own.push({ name: '', bytes: Buffer.alloc(0) })
    const attachment = own.at(-1)
    if (attachment && id === attachmentTitle) attachment.name ||= text(content)
    else if (attachment && id === attachmentData) attachment.bytes = content
    else if (attachment && id === attachmentProperties) {
      const found = new Map(propertiesIn(content))
      const name = found.get(wide | propLongName) ?? found.get(wide | propName)
      attachment.name = text(name, true) || text(found.get(propLongName) ?? found.get(propName)) || attachment.name
      // A message inside begins with the id of its interface.
      if (attachment.bytes.length === 0) attachment.bytes = found.get(propData)?.subarray(16) ?? attachment.bytes
    }
    at += 11 + length
  }
  const both = (property: number) => text(message.get(wide | property), true) || text(message.get(property))
  const rtf = message.get(propRtf)
  const plain = both(propBody) || (rtf ? rtfText(await unpacked(rtf)) : '')
  const html = both(propHtml)
  const out = new TextBuilder()
  const none = { from: [], to: [], cc: [], bcc: [], date: '' }
  addMessage({ ...none, subject: both(propSubject), text: plain, html: html === '' ? null : parseHtml(html) }, out)
  const attachments = own
    .filter(({ bytes }) => bytes.length > 0)
    .map(
      ({ name, bytes }, i): Attachment => ({
        name: name || `attachment-${i + 1}${isTnef(bytes) ? '.dat' : ''}`,
        bytes,
      }),
    )
  return out.structure('application/vnd.ms-tnef', attachments)
}

/** A mark of properties in UTF-16. */
const wide = 0x10000

async function unpacked(rtf: Buffer): Promise<Uint8Array> {
  const { decompressRTF } = await import('@kenjiuno/decompressrtf')
  try {
    return Uint8Array.from(decompressRTF([...rtf]))
  } catch {
    return new Uint8Array()
  }
}

/** Bytes of a value by the type of its property (MS-OXCDATA 2.11.1); types that are not here have a length before them. */
const sizes: Readonly<Record<number, number>> = {
  1: 4,
  2: 4,
  3: 4,
  4: 4,
  5: 8,
  6: 8,
  7: 8,
  10: 4,
  11: 4,
  20: 8,
  64: 8,
  72: 16,
}

/** Texts and binary values of a list of properties (MS-OXTNEF 2.1.3.4). A damaged one ends the list. */
function propertiesIn(data: Buffer): [number, Buffer][] {
  const found: [number, Buffer][] = []
  try {
    let at = 4
    for (let left = data.readUInt32LE(0); left > 0 && at + 4 <= data.length; left--) {
      const type = data.readUInt16LE(at)
      const id = data.readUInt16LE(at + 2)
      at += 4
      // A named property: its set, and a number or a name.
      if (id >= 0x8000) at += data.readUInt32LE(at + 16) === 0 ? 24 : 24 + padded(data.readUInt32LE(at + 20))
      const size = sizes[type & 0xfff]
      const isList = (type & 0x1000) !== 0
      const isLong = size === undefined
      let count = isList || isLong ? data.readUInt32LE(at) : 1
      if (isList || isLong) at += 4
      for (; count > 0; count--) {
        if (at > data.length) return found
        const length = size ?? data.readUInt32LE(at)
        if (isLong) at += 4
        if (isLong) found.push([(type & 0xfff) === 0x1f ? wide | id : id, data.subarray(at, at + length)])
        at += padded(length)
      }
    }
  } catch {
    // Beyond the end.
  }
  return found
}

const padded = (length: number) => Math.ceil(length / 4) * 4
