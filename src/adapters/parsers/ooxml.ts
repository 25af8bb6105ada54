import { posix } from 'node:path'
import type { OpenFile } from '../../ports/format.ts'
import { type Attachment, ParseError } from '../../ports/parser.ts'
import { embeddedFile } from './ole.ts'
import {
  descendants,
  element,
  elements,
  parseXml,
  readXmlStream,
  textOf,
  treeOf,
  type XmlElement,
  type XmlEvents,
} from './parse-xml.ts'
import { isLarge } from './picture-size.ts'
import { numberFormat } from './shown-number.ts'
import { type Cell, oneLine, type TextBuilder } from './text-builder.ts'
import { readRecords } from './workbook-records.ts'
import { type Archive, openArchive } from './zip.ts'

/** A part that another one points at. */
export interface Relation {
  id: string
  /** The last word of its type: `slide`, `image`, `footnotes`. */
  type: string
  /** Path of the part in the package. */
  part: string
}

/** A file of Office Open XML (ISO/IEC 29500-2): parts, and what points at what. */
export interface Package {
  /** The part that the others hang on: the document, the workbook, the presentation. */
  readonly main: string
  /** Null where there is no such part. The records of a binary workbook are read like the XML of another one. */
  xml(part: string): Promise<XmlElement | null>
  bytes(part: string): Promise<Uint8Array | null>
  /** The same a piece at a time, for parts that are too large to be in memory. */
  read(part: string, events: XmlEvents): Promise<void>
  relations(part: string): Promise<Relation[]>
  /** Of its properties; empty without one. */
  title(): Promise<string>
}

/** Errors: ParseError `malformed`, `locked`, `too_large`. */
export async function openPackage(file: OpenFile): Promise<Package> {
  const parts = file.headText === null ? packed(await openArchive(file)) : flat(parseXml(await file.readAll()))
  const relations = await relationsOf(parts, '')
  const [main] = partsOf(relations, 'officeDocument')
  const [properties] = partsOf(relations, 'core-properties')
  if (main === undefined || !parts.names.includes(main))
    throw new ParseError('malformed', 'The file has no document in it.')
  const title = async () => {
    const found = element((await parts.xml(properties ?? '')) ?? undefined, 'title')
    return found ? oneLine(textOf(found)) : ''
  }
  return { ...parts, main, relations: (part) => relationsOf(parts, part), title }
}

type Parts = Pick<Package, 'xml' | 'bytes' | 'read'> & { names: readonly string[] }

const packed = (archive: Archive): Parts => ({
  names: archive.names,
  bytes: (part) => archive.read(part),
  read: async (part, events) => {
    if (isBinary(part)) readRecords((await archive.read(part)) ?? new Uint8Array(), events)
    else await readXmlStream(archive.stream(part), events)
  },
  xml: async (part) => {
    const bytes = await archive.read(part)
    if (bytes === null) return null
    return isBinary(part) ? treeOf((events) => readRecords(bytes, events)) : parseXml(bytes)
  },
})

const isBinary = (part: string) => part.endsWith('.bin')

/** A package that is one file of XML. Its parts begin with a slash. */
function flat(root: XmlElement): Parts {
  const parts = new Map(elements(root, 'part').map((part) => [part.attributes['pkg:name']?.slice(1) ?? '', part]))
  const bytesOf = (part: string) => {
    const data = element(parts.get(part), 'binaryData')
    return data ? Buffer.from(textOf(data), 'base64') : null
  }
  return {
    names: [...parts.keys()],
    bytes: async (part) => bytesOf(part),
    // No workbook is such a package.
    read: async () => {},
    xml: async (part) => {
      const content = element(parts.get(part), 'xmlData')
      return (content && elements(content)[0]) ?? null
    },
  }
}

/** The parts that a part has of these types. */
export const partsOf = (relations: readonly Relation[], ...types: readonly string[]): string[] =>
  relations.filter(({ type }) => types.includes(type)).map(({ part }) => part)

async function relationsOf(parts: Parts, part: string): Promise<Relation[]> {
  const folder = posix.dirname(part)
  const root = await parts.xml(posix.join(folder, '_rels', `${posix.basename(part)}.rels`))
  if (root === null) return []
  return elements(root, 'Relationship').flatMap(({ attributes: { Id = '', Type = '', Target = '', TargetMode } }) =>
    TargetMode === 'External' ? [] : [{ id: Id, type: posix.basename(Type), part: resolved(folder, Target) }],
  )
}

const resolved = (folder: string, target: string) =>
  target.startsWith('/') ? target.slice(1) : posix.normalize(posix.join(folder, target))

/** By the id of the relation. Word wraps a picture in `inline` or `anchor`, the others in `pic`. */
function alternativesIn(root: XmlElement): Map<string, string> {
  const found = new Map<string, string>()
  for (const wrap of ['inline', 'anchor', 'pic'].flatMap((name) => descendants(root, name))) {
    const id = descendants(wrap, 'blip')[0]?.attributes['r:embed']
    const [properties] = [...descendants(wrap, 'docPr'), ...descendants(wrap, 'cNvPr')]
    const text = written(properties?.attributes.descr)
    if (id !== undefined && text !== '' && !found.has(id)) found.set(id, text)
  }
  return found
}

/** Programs fill it with the name of a file or a shape. */
export const written = (description = ''): string =>
  /\.(png|jpe?g|gif|bmp|emf|wmf|tiff?)$/i.test(description) ? '' : description.replace(/\s+/g, ' ').trim()

/** A part, and what it points at. */
export type Related = readonly [root: XmlElement | null, relations: readonly Relation[]]

/** What stands in these parts, once each: pictures from 64 pixels on in both directions, then files. */
export async function filesIn(source: Package, parts: readonly Related[]): Promise<Attachment[]> {
  const [pictures, files]: [Attachment[], Attachment[]] = [[], []]
  const shown = new Map<string, string>()
  for (const [root, relations] of parts) {
    const alternatives = root ? alternativesIn(root) : new Map<string, string>()
    for (const { id, type, part } of relations)
      if (type === 'image') shown.set(part, shown.get(part) || (alternatives.get(id) ?? ''))
  }
  for (const [part, alternative] of shown) {
    const bytes = await source.bytes(part)
    if (bytes !== null && isLarge(bytes))
      pictures.push({ name: posix.basename(part), bytes, ...(alternative !== '' && { alternative }) })
  }
  // A recording has two relations.
  const relations = new Map(parts.flatMap(([, all]) => all).map((relation) => [relation.part, relation]))
  for (const { type, part } of relations.values()) {
    if (!['package', 'oleObject', 'aFChunk', 'audio', 'video', 'media'].includes(type)) continue
    const bytes = await source.bytes(part)
    if (bytes === null || bytes.length === 0) continue
    const name = posix.basename(part)
    const file = type === 'oleObject' ? await embeddedFile(bytes, name) : { name, bytes }
    if (file) files.push(file)
  }
  return [...pictures, ...files]
}

/** What a chart or a diagram says: its titles, and its numbers as a table. Other parts say nothing. */
export async function addGraphic(source: Package, { type, part }: Relation, out: TextBuilder): Promise<void> {
  if (!['chart', 'chartEx', 'diagramData'].includes(type)) return
  const root = await source.xml(part)
  if (root === null) return
  if (type === 'chart') {
    addChart(root, out)
    return
  }
  const lines = type === 'diagramData' ? descendants(root, 'p').map(runs) : descendants(root, 'pt').map(textOf)
  out.add([...new Set(lines.map((line) => line.trim()))].filter((line) => line !== '').join('\n'))
}

const runs = (parent: XmlElement) => descendants(parent, 't').map(textOf).join('')

const maxPoints = 20_000

/** A row for each category, a column for each series (ECMA-376 part 1, 21.2). */
function addChart(root: XmlElement, out: TextBuilder): void {
  out.add(
    descendants(root, 'title')
      .map(runs)
      .filter((title) => title !== '')
      .join('\n'),
  )
  const series = descendants(root, 'ser').slice(0, 100)
  const categories = new Map<string, string>()
  const columns = series.map((one) => {
    for (const [at, name] of pointsOf(element(one, 'cat') ?? element(one, 'xVal')))
      if (!categories.has(at)) categories.set(at, name)
    return pointsOf(element(one, 'val') ?? element(one, 'yVal'))
  })
  const places = [...new Set([...categories.keys(), ...columns.flatMap((column) => [...column.keys()])])]
  const names = series.map((one) => nameOf(element(one, 'tx')))
  addSeries(
    names,
    places.map((at) => [categories.get(at), ...columns.map((column) => column.get(at))]),
    out,
  )
}

/** The numbers of a chart: a row for each category, after its name, and a column for each series. */
export function addSeries(names: readonly string[], rows: readonly (string | undefined)[][], out: TextBuilder): void {
  const head = names.some((name) => name !== '') ? [['', ...names]] : []
  const cells = [...head, ...rows].map((row) => row.map((text = ''): Cell => ({ text })))
  out.addTable(cells, head.length)
}

const nameOf = (name: XmlElement | undefined) =>
  name ? descendants(name, 'v').map(textOf).join(' ') || runs(name) : ''

/** What the chart last showed, by the number of the point. Of categories with several levels, the finest. */
function pointsOf(data: XmlElement | undefined): Map<string, string> {
  const code = data && descendants(data, 'formatCode')[0]
  const show = numberFormat(code ? textOf(code) : '')
  const points = (data ? descendants(data, 'pt') : []).slice(0, maxPoints)
  const found = new Map<string, string>()
  for (const point of points) {
    const at = point.attributes.idx ?? ''
    const text = descendants(point, 'v').map(textOf).join('')
    const isNumber = code !== undefined && text.trim() !== '' && Number.isFinite(Number(text))
    if (!found.has(at)) found.set(at, isNumber ? show(Number(text)) : text)
  }
  return found
}
