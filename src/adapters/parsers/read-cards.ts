import { parse as parseHtml } from 'parse5'
import type { OpenFile, Structure } from '../../ports/format.ts'
import type { Attachment } from '../../ports/parser.ts'
import { isLarge } from './picture-size.ts'
import { textOf } from './read-html.ts'
import { TextBuilder } from './text-builder.ts'

/** A line of a card or a calendar: `TEL;TYPE=home:+1 555 0100`. */
interface Property {
  name: string
  parameters: string
  value: string
}

/** What readers of contacts and calendars look for, by how the file names it. Others say nothing to them. */
const labels: Readonly<Record<string, string>> = {
  ...{
    FN: '',
    SUMMARY: '',
    DESCRIPTION: '',
    NOTE: 'Note',
    COMMENT: 'Comment',
    NICKNAME: 'Nickname',
    ORG: 'Organization',
  },
  ...{ TITLE: 'Title', ROLE: 'Role', TEL: 'Telephone', EMAIL: 'E-mail', ADR: 'Address', LABEL: 'Address', URL: 'URL' },
  ...{ BDAY: 'Birthday', ANNIVERSARY: 'Anniversary', CATEGORIES: 'Categories', IMPP: 'Chat', LANG: 'Language' },
  ...{ DTSTART: 'Start', DTEND: 'End', DUE: 'Due', DURATION: 'Duration', LOCATION: 'Location', ORGANIZER: 'Organizer' },
  ...{ ATTENDEE: 'Attendee', CONTACT: 'Contact', STATUS: 'Status', RRULE: 'Repeats', COMPLETED: 'Completed' },
  ...{ RDATE: 'Also on', EXDATE: 'Not on' },
  ...{ RELATED: 'Related', GENDER: 'Gender', RESOURCES: 'Resources', PRIORITY: 'Priority' },
}

const records = new Set(['VCARD', 'VEVENT', 'VTODO', 'VJOURNAL'])

/** Contacts (RFC 6350) and entries of a calendar (RFC 5545): a section for each. Their pictures are documents. */
export async function readCards(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const out = new TextBuilder()
  const attachments: Attachment[] = []
  /** What has begun, and what it says itself. */
  const open: { name: string; own: Property[] }[] = []
  for (const line of unfolded(text)) {
    const property = propertyOf(line)
    if (!property) continue
    const { name, value } = property
    const record = open.at(-1)
    if (name === 'BEGIN') open.push({ name: value.trim().toUpperCase(), own: [] })
    else if (name === 'END') {
      if (record && records.has(record.name)) addRecord(record.own, out, attachments)
      open.pop()
    } else if (record && records.has(record.name)) record.own.push(property)
    else if (name === 'X-WR-CALNAME' && open.length === 1) out.enter(0, plain(property))
  }
  const mime = /^\s*BEGIN:VCALENDAR/i.test(text) ? 'text/calendar' : 'text/vcard'
  return { ...out.structure(mime, attachments), charset }
}

/** A line that begins with a space continues the one above; in old cards, one after `=`. */
function unfolded(text: string): string[] {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\n[ \t]/g, '')
    .replace(/(;[^:\n]*QUOTED-PRINTABLE[^:\n]*:[^\n]*)((?:=\n[^\n]*)+)/gi, (line) => line.replaceAll('=\n', ''))
    .split('\n')
}

function propertyOf(line: string): Property | null {
  const [, name = '', parameters = '', value = ''] =
    /^(?:[\w-]{1,60}\.)?([A-Za-z][\w-]{0,60})((?:;(?:"[^"]*"|[^":])*)?):(.*)$/s.exec(line) ?? []
  return name === '' ? null : { name: name.toUpperCase(), parameters, value }
}

function addRecord(record: readonly Property[], out: TextBuilder, attachments: Attachment[]): void {
  const said = record.filter((property) => plain(property) !== '')
  const name =
    said.find((property) => ['FN', 'SUMMARY'].includes(property.name)) ?? said.find((property) => property.name === 'N')
  out.enter(1, name ? plain(name).replace(/\s+/g, ' ') : '')
  const isDescribed = record.some((property) => property.name === 'DESCRIPTION')
  const lines = said.flatMap((property) => {
    const isPage = property.name === 'X-ALT-DESC' && !isDescribed
    const label = property === name || isPage ? '' : labels[property.name]
    const text = label === undefined ? '' : isPage ? textOf(parseHtml(plain(property))).trim() : plain(property)
    return text === '' ? [] : [label ? `${label}: ${text}` : text]
  })
  out.add([...new Set(lines)].join('\n'))
  for (const { name: field, parameters, value } of record) {
    const data = /ENCODING=(B|BASE64)\b/i.test(parameters)
      ? value
      : (/^data:[^,]*;base64,(.*)$/i.exec(value)?.[1] ?? '')
    const bytes = data === '' ? new Uint8Array() : Buffer.from(data, 'base64')
    const given = /FILENAME="?([^";:]+)/i.exec(parameters)?.[1]
    if (field === 'ATTACH' ? bytes.length > 0 : isLarge(bytes))
      attachments.push({ name: given ?? `${field.toLowerCase()}-${attachments.length + 1}`, bytes })
  }
}

/** A value as it reads: without escapes, the parts of a name or an address with commas, times with their signs. */
function plain({ name, parameters, value }: Property): string {
  const text = /QUOTED-PRINTABLE/i.test(parameters) ? unquoted(value, parameters) : value
  const person = /CN="?([^";:]+)"?/i.exec(parameters)?.[1]
  const address = text.replace(/^(mailto|tel):/i, '')
  if (person) return person === address ? person : `${person} <${address}>`
  const zone = /TZID="?([^";:]+)/i.exec(parameters)?.[1] ?? ''
  if (name === 'RRULE') return shownRule(text)
  if (isTime.test(text))
    return text
      .split(',')
      .map((time) => shownTime(time, zone))
      .join(', ')
  const parts = /^(N|ADR|ORG)$/.test(name)
    ? text
        .split(/(?<!\\);/)
        .filter((part) => part.trim() !== '')
        .join(', ')
    : address
  return parts.replace(/\\([nN\\,;:])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)).trim()
}

/** One or more times; of a period, its start. */
const isTime = /^\d{8}(T\d{6}Z?)?(\/[\dPTHMSWDZ]+)?(,\d{8}(T\d{6}Z?)?(\/[\dPTHMSWDZ]+)?)*$/

function shownTime(time: string, zone: string): string {
  const [, year, month, day, hour, minute, zulu] = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?/.exec(time) ?? []
  const clock = hour === undefined ? '' : ` ${hour}:${minute} ${zone || (zulu === 'Z' ? 'UTC' : '')}`
  return `${year}-${month}-${day}${clock}`.trim()
}

/** `FREQ=WEEKLY;BYDAY=MO,TU;UNTIL=20240301` -> `weekly, by day MO TU, until 2024-03-01`. */
const shownRule = (rule: string): string =>
  rule
    .split(';')
    .map((part) => {
      const [key = '', value = ''] = part.split('=')
      if (key === 'FREQ') return value.toLowerCase()
      const label = key.toLowerCase().replace(/^by/, 'by ')
      return `${label} ${isTime.test(value) ? shownTime(value, '') : value.replaceAll(',', ' ')}`
    })
    .join(', ')

function unquoted(value: string, parameters: string): string {
  const bytes = value.replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    const charset = /CHARSET="?([\w-]+)/i.exec(parameters)?.[1] ?? 'utf-8'
    return new TextDecoder(charset).decode(Buffer.from(bytes, 'latin1'))
  } catch {
    return bytes
  }
}
