import { ParseError } from '../../ports/parser.ts'
import type { XmlEvents } from './parse-xml.ts'

/** What cells with an error show, by its number (MS-XLSB 2.5.97.2). */
const errors = new Map([
  [0, '#NULL!'],
  [7, '#DIV/0!'],
  [15, '#VALUE!'],
  [23, '#REF!'],
  [29, '#NAME?'],
  [36, '#NUM!'],
  [42, '#N/A'],
  [43, '#GETTING_DATA'],
])

/** Kinds of cells by the number of their record from 1, and from 12 without a column; from 8 what formulas give. */
const cellKinds = ['blank', 'rk', 'error', 'boolean', 'real', 'text', 'shared'] as const
const formulaKinds = ['text', 'real', 'boolean', 'error'] as const

const headers = ['oddHeader', 'oddFooter', 'evenHeader', 'evenFooter', 'firstHeader', 'firstFooter']
const states = ['visible', 'hidden', 'veryHidden']

/**
 * A part of a binary workbook (MS-XLSB) as the events that the same part gives as XML. Errors: ParseError `malformed`
 * where it is cut off.
 */
export function readRecords(bytes: Uint8Array, events: XmlEvents): void {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const part = new PartRecords(events)
  try {
    for (let at = 0; at < whole.length; ) {
      let type = whole.readUInt8(at++)
      if (type & 0x80) type = (type & 0x7f) | (whole.readUInt8(at++) << 7)
      let length = 0
      for (let i = 0, more = true; more && i < 4; i++) {
        const byte = whole.readUInt8(at++)
        length |= (byte & 0x7f) << (7 * i)
        more = (byte & 0x80) !== 0
      }
      part.take(type, whole.subarray(at, at + length))
      at += length
    }
  } catch (error) {
    throw error instanceof RangeError ? new ParseError('malformed', 'The workbook is damaged.') : error
  }
  part.end()
}

class PartRecords {
  readonly #events: XmlEvents
  #row: number | null = null
  #column = -1

  constructor(events: XmlEvents) {
    this.#events = events
  }

  take(type: number, data: Buffer): void {
    const { open, close } = this.#events
    if (type === 0) {
      this.end()
      this.#row = data.readUInt32LE(0)
      this.#column = -1
      open('row', { r: String(this.#row + 1) })
    } else if (this.#row !== null && (type <= 18 || type === 62)) this.#cell(type, data)
    else if (type === 19) this.#element('si', {}, rich(data, 0))
    else if (type === 44) this.#element('numFmt', { numFmtId: String(data.readUInt16LE(0)), formatCode: wide(data, 2) })
    else if (type === 47) this.#element('xf', { numFmtId: String(data.readUInt16LE(2)) })
    else if (type === 153) this.#element('workbookPr', { date1904: String(data.readUInt8(0) & 1) })
    else if (type === 156) {
      // Excel 2007 before its release wrote a number more.
      const at = /\p{Cc}/u.test(wide(data, 8)) ? 12 : 8
      const id = wide(data, at)
      const state = states[data.readUInt32LE(0)] ?? 'visible'
      this.#element('sheet', { 'r:id': id, name: wide(data, at + 4 + 2 * id.length), state })
    } else if (type === 176) this.#element('mergeCell', { ref: range(data, 0) })
    else if (type === 479) {
      let at = 2
      for (const name of headers) {
        const text = wide(data, at)
        at += 4 + 2 * text.length
        if (text !== '') this.#element(name, {}, text)
      }
    } else if (type === 617) open('cellXfs', {})
    else if (type === 618) close('cellXfs')
    else if (type === 635) open('comment', { ref: range(data, 4).replace(/:.*/, '') })
    else if (type === 636) close('comment')
    else if (type === 637) this.#element('text', {}, rich(data, 0))
  }

  /** The last row is open until the next one, or the end. */
  end(): void {
    if (this.#row !== null) this.#events.close('row')
    this.#row = null
  }

  #cell(type: number, data: Buffer): void {
    const isShort = type > 11 && type < 62
    this.#column = isShort ? this.#column + 1 : data.readUInt32LE(0)
    const at = isShort ? 4 : 8
    const kind =
      type === 62 ? 'rich' : type > 7 && !isShort ? formulaKinds[type - 8] : cellKinds[isShort ? type - 12 : type - 1]
    const style = String(data.readUIntLE(at - 4, 3))
    const [t, value] = shownBy(kind, data, at)
    if (value === '') return
    const { open, text, close } = this.#events
    open('c', { r: columnName(this.#column) + (1 + (this.#row ?? 0)), t, s: style })
    open('v', {})
    text(value)
    close('v')
    close('c')
  }

  #element(name: string, attributes: Readonly<Record<string, string>>, content = ''): void {
    const { open, text, close } = this.#events
    open(name, attributes)
    if (name === 'si') open('t', {})
    if (content !== '') text(content)
    if (name === 'si') close('t')
    close(name)
  }
}

/** The type of the cell in XML, and what stands there. */
function shownBy(kind: string | undefined, data: Buffer, at: number): [type: string, value: string] {
  if (kind === 'rk') return ['n', String(compact(data.readInt32LE(at)))]
  if (kind === 'error') return ['e', errors.get(data.readUInt8(at)) ?? '']
  if (kind === 'boolean') return ['b', String(data.readUInt8(at))]
  if (kind === 'real') return ['n', String(data.readDoubleLE(at))]
  if (kind === 'text') return ['str', wide(data, at)]
  if (kind === 'rich') return ['str', rich(data, at)]
  return kind === 'shared' ? ['s', String(data.readUInt32LE(at))] : ['n', '']
}

/** A number in four bytes: an integer or the upper half of a double, or a hundredth of it (MS-XLSB 2.5.122). */
function compact(value: number): number {
  const high = Buffer.alloc(8)
  high.writeInt32LE(value & ~3, 4)
  const number = value & 2 ? value >> 2 : high.readDoubleLE(0)
  return value & 1 ? number / 100 : number
}

/** A text after the number of its characters. All bits of it are set where there is no text. */
function wide(data: Buffer, at: number): string {
  const length = data.readUInt32LE(at)
  return length === 0xffffffff ? '' : data.toString('utf16le', at + 4, at + 4 + 2 * length)
}

const rich = (data: Buffer, at: number) => wide(data, at + 1)

/** `A1:B2`, of the rows and then the columns. */
function range(data: Buffer, at: number): string {
  const [top, bottom, left, right] = [0, 4, 8, 12].map((offset) => data.readUInt32LE(at + offset))
  return `${columnName(left ?? 0)}${1 + (top ?? 0)}:${columnName(right ?? 0)}${1 + (bottom ?? 0)}`
}

function columnName(column: number): string {
  let name = ''
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name
  return name
}
