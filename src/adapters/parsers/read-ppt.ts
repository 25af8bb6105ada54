import { constants, inflateSync } from 'node:zlib'
import { parseLimits } from '../../model/parse-limits.ts'
import type { OpenFile, Structure } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { embeddedFile, embeddedObjects, openCompound, withPictures } from './ole.ts'
import { livePresentation } from './ppt-edits.ts'
import { TextBuilder } from './text-builder.ts'

/** Types of records (MS-PPT 2.13.24). */
const [slide, notes, slidePersist, textHeader, chars, bytes8, slideList] = [1006, 1008, 1011, 3999, 4000, 4008, 4080]
const [comment, string, tagData, storage] = [12_000, 4026, 5003, 4113]
const [master, shape, placeholder, footers, footersShown, slideInfo] = [1016, 0xf004, 3011, 4057, 4058, 1017]
const container = 0xf

interface Piece {
  text: string
  /** 0 and 6: a title; 2: notes. */
  kind: number
}

/** A presentation of PowerPoint 97 to 2003, slide by slide: `page` is the slide's number. */
export async function readPpt(file: OpenFile): Promise<Structure> {
  const bytes = await file.readAll()
  const compound = await openCompound(bytes)
  const stream = compound.stream('/PowerPoint Document')
  if (stream === null) throw new ParseError('malformed', 'The presentation is damaged.')
  const user = compound.stream('/Current User')
  // The token of an encrypted presentation (MS-PPT 2.3.2).
  if (user && user.length >= 16 && Buffer.from(user).readUInt32LE(12) === 0xf3d1c4df)
    throw new ParseError('locked', 'The presentation opens only with a password.')
  const out = new TextBuilder()
  const objects: Buffer[] = []
  const live = livePresentation(Buffer.from(stream), Buffer.from(user ?? []))
  const { listed, drawn, repeated, hidden } = slidesOf(live, objects)
  const count = Math.max(listed.length, drawn.length)
  for (let i = 0; i < count; i++) {
    out.metadata = { page: i + 1, ...(hidden.has(i) && { hidden: true }) }
    out.endSections()
    for (const { text, kind } of [...(listed[i] ?? []), ...(drawn[i] ?? [])]) {
      // A star stands for the number of the slide, or the day.
      if (text === '' || text === '*') continue
      if (kind === 0 || kind === 6) out.addHeading(1, text.replace(/\s+/g, ' '))
      else out.add(text)
    }
  }
  out.metadata = undefined
  out.endSections()
  out.add([...new Set(repeated.map(({ text }) => text))].join('\n'))
  const files = [...(await embeddedObjects(bytes)), ...(await filesOf(objects))]
  const attachments = withPictures([compound.stream('/Pictures')], files)
  return out.structure('application/vnd.ms-powerpoint', attachments, compound.title())
}

/** The files in OLE objects (MS-PPT 2.10.34). */
async function filesOf(objects: readonly Buffer[]): Promise<Attachment[]> {
  const found: Attachment[] = []
  for (const object of objects) {
    const file = await embeddedFile(object, `object-${found.length + 1}.bin`)
    if (file) found.push(file)
  }
  return found
}

/** An object that is packed has its size before it. Null where it is damaged. */
function unpacked(data: Buffer, isPacked: boolean): Buffer | null {
  if (!isPacked) return data
  try {
    return inflateSync(data.subarray(4), {
      maxOutputLength: parseLimits.textBytes,
      finishFlush: constants.Z_SYNC_FLUSH,
    })
  } catch {
    return null
  }
}

/**
 * The texts of placeholders stand in a list of the slides, those of other shapes and comments in the slides. Headers,
 * footers and the text of a master, which are on every slide, are `repeated`. Adds what is embedded to `objects`. `hidden`
 * has the slides that are not shown, counted from 0.
 */
function slidesOf(data: Buffer, objects: Buffer[]) {
  const hidden = new Set<number>()
  const listed: Piece[][] = []
  const drawn: Piece[][] = []
  const repeated: Piece[] = []
  /** In a master, a placeholder says only what to write there. */
  let isPlaceholder = false
  /** Bits by the kind of header and footer (MS-PPT 2.4.15.2). */
  let shown = 0
  let into: Piece[] | null = null
  let kind = 4
  // The ends of the containers that are open, with what the text in them belongs to.
  const open: { end: number; into: Piece[] | null; isList: boolean; type: number }[] = []
  for (let at = 0; at + 8 <= data.length; ) {
    while ((open.at(-1)?.end ?? Number.POSITIVE_INFINITY) <= at) into = open.pop()?.into ?? null
    const limit = open.at(-1)?.end ?? data.length
    if (at + 8 > limit) {
      at = limit
      continue
    }
    const head = data.readUInt16LE(at)
    const type = data.readUInt16LE(at + 2)
    const length = data.readUInt32LE(at + 4)
    const end = Math.min(limit, at + 8 + length)
    const isList = open.some((each) => each.isList)
    at += 8
    if ((head & 0xf) === container || type === tagData) {
      // Instance 0 lists the slides; 1 the masters, 2 the notes.
      open.push({ end, into, isList: type === slideList && head >> 4 === 0, type })
      if (type === shape) isPlaceholder = false
      if (type === slide) {
        into = []
        drawn.push(into)
      } else if (type === master) into = repeated
      else if (type === notes) into = drawn.at(-1) ?? []
      else if (type === slideList && head >> 4 !== 0) into = null
      continue
    }
    if (type === slidePersist && isList) {
      into = []
      listed.push(into)
    } else if (type === textHeader && length >= 4) kind = data.readUInt32LE(at)
    else if (type === storage) {
      const object = unpacked(data.subarray(at, end), head >> 4 === 1)
      if (object) objects.push(object)
    } else if (type === placeholder && length >= 5)
      // Not that of the footer, and of the header.
      isPlaceholder = ![9, 10].includes(data[at + 4] ?? 0)
    else if (type === slideInfo && length >= 12 && (data.readUInt16LE(at + 10) & 4) !== 0) hidden.add(drawn.length - 1)
    else if (type === footersShown && length >= 4) shown = data.readUInt16LE(at + 2)
    else if (type === string) {
      const instance = head >> 4
      const within = open.at(-1)?.type
      const text = data.toString('utf16le', at, end).trim()
      if (within === comment && instance === 1) into?.push({ kind: 4, text })
      // A header is 1, a footer 2.
      if (within === footers && (shown & (8 << instance)) !== 0 && instance > 0) repeated.push({ kind: 4, text })
    } else if ((type === chars || type === bytes8) && into && !(into === repeated && isPlaceholder)) {
      const text = data.toString(type === chars ? 'utf16le' : 'latin1', at, end)
      into.push({
        kind,
        text: text
          .replace(/[\r\v]/g, '\n')
          .replace(/\0/g, '')
          .trim(),
      })
      kind = 4
    }
    at = end
  }
  return { listed, drawn, repeated, hidden }
}
