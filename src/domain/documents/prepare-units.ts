import { readFile } from 'node:fs/promises'
import type { DocumentRecord } from '../../model/document.ts'
import type { Session } from '../../model/session.ts'
import { type Cue, type Utterance, utterancesOf } from '../../model/speech.ts'
import type { Span } from '../../ports/format.ts'
import type {
  Picture,
  PictureText,
  ReadPicture,
  ReadText,
  Recording,
  TextLine,
  Transcribe,
} from '../../ports/models/media-models.ts'
import type { FileToParse, GivenUnit, PagePicture, ParsedFile, ParsedUnit } from '../../ports/parser.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { chunk } from '../chunks/chunk.ts'
import { parseItems } from '../input/parse.ts'
import { readVector } from '../input/vector.ts'
import { type PlacedUnit, placeUnits } from '../units/place-units.ts'
import { unitInput } from '../units/unit-input.ts'
import { merged } from './versions.ts'

/** The Units of a parsed file, where the session puts them. Errors: those of an ingest. */
export async function prepareUnits(
  session: Session,
  document: DocumentRecord,
  file: ParsedFile,
  scopeHeader: string,
): Promise<PlacedUnit[]> {
  const sent = file.units.map((unit) => (unit.given ? givenUnit(unit.given, document) : madeUnit(unit, document, file)))
  return placeUnits(session, await parseItems(unitInput, sent, ['units']), scopeHeader)
}

function madeUnit(unit: ParsedUnit, document: DocumentRecord, { mime }: ParsedFile): Readonly<Record<string, unknown>> {
  const { modality, text, title, locator, metadata } = unit
  return {
    modality,
    ...(text !== null && { text }),
    ...(title !== null && { title }),
    ...(locator && { locator }),
    sourceUri: document.sourceUri,
    mime,
    docId: document.docId,
    aclGroups: document.aclGroups,
    metadata: merged(metadata, document.metadata),
  }
}

const wireNames: Readonly<Record<string, string>> = {
  unit_id: 'unitId',
  source_uri: 'sourceUri',
  doc_id: 'docId',
  external_id: 'externalId',
  acl_owner: 'aclOwner',
  acl_groups: 'aclGroups',
  t_start_ms: 'tStartMs',
  t_end_ms: 'tEndMs',
}

/** A line of JSONL in the names of the domain, with what it leaves to the document. */
function givenUnit(given: GivenUnit, { docId, aclGroups }: DocumentRecord): Readonly<Record<string, unknown>> {
  const { locator, vector, ...fields } = renamed(given)
  return {
    docId,
    aclGroups,
    ...fields,
    ...(locator !== undefined && { locator: isObject(locator) ? renamed(locator) : locator }),
    ...(vector !== undefined && { vector: floatsOf(vector) }),
  }
}

/** Null means "not sent". */
const renamed = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === null ? [] : [[wireNames[key] ?? key, value]])),
  )

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is not a vector is left for the rules to refuse. */
function floatsOf(vector: unknown): unknown {
  const read = readVector(vector)
  return typeof read === 'string' ? vector : read
}

type Deps = Pick<Bindings, 'media' | 'parser' | 'log'>

export interface ReadFile {
  file: ParsedFile
  /** A provider failed: the rest of the text is still to come. */
  pending: boolean
  /** One sentence: why a picture of it was not read and will not be. */
  problem: string | null
}

/** Pages of a PDF whose pictures are in memory at a time. */
const pagesAtOnce = 8
/** Each is a copy of the file. */
const tiffPagesAtOnce = 1

const maxText = 100_000

/** Adds to the Units of a file what the configured models read in its pictures, pages and sound. `path` is the file. */
export async function readMedia(
  deps: Deps,
  { name, sidecar, documentId }: DocumentRecord,
  file: ParsedFile,
  path: string,
  stop: AbortSignal,
): Promise<ReadFile> {
  const calls = createModelCalls(deps, documentId, stop)
  const pageTexts = await readPages(deps, calls, file, { path, name, sidecar }, stop)
  const units: ParsedUnit[] = []
  for (const unit of file.units) {
    if (unit.media === 'recording') units.push(...(await heard(deps, calls, unit, { path, name, mime: file.mime })))
    else if (unit.media === 'picture') units.push(...(await seen(deps, calls, unit, path, file.mime)))
    else units.push(...withWords(unit, pageTexts.get(unit) ?? noText))
  }
  return { file: { ...file, units }, pending: calls.anyFailed(), problem: calls.problem() }
}

async function readPages(
  { media: { ocr }, parser }: Deps,
  calls: ModelCalls,
  { units, mime }: ParsedFile,
  file: FileToParse,
  stop: AbortSignal,
): Promise<Map<ParsedUnit, PictureText>> {
  const texts = new Map<ParsedUnit, PictureText>()
  const pages = ocr ? units.filter(({ media }) => media === 'page') : []
  const atOnce = mime === 'image/tiff' ? tiffPagesAtOnce : pagesAtOnce
  for (let from = 0; from < pages.length && !calls.anyFailed(); from += atOnce) {
    const some = pages.slice(from, from + atOnce)
    const pictures = await parser.pagePictures(file, some.map(pageOf), stop)
    const read = pictures.map(async (picture) => (picture ? textOfPage(calls, ocr, picture) : noText))
    for (const [i, text] of (await Promise.all(read)).entries()) {
      const unit = some[i]
      if (unit) texts.set(unit, text)
    }
  }
  return texts
}

/** Its lines in fractions of the page. */
async function textOfPage(
  calls: ModelCalls,
  ocr: ReadText | null,
  { mime, bytes, box }: PagePicture,
): Promise<PictureText> {
  const found = await calls.text(ocr, { mime, bytes })
  const onPage = ({ x, y, w, h, ...span }: TextLine): TextLine => ({
    ...span,
    x: box.x + x * box.w,
    y: box.y + y * box.h,
    w: w * box.w,
    h: h * box.h,
  })
  return { ...found, lines: found.lines.map(onPage) }
}

const pageOf = ({ metadata }: ParsedUnit): number => Number(metadata.page)

/** Its sentences take the place of the recording as a whole, where there are any. */
async function heard(
  { media }: Deps,
  calls: ModelCalls,
  unit: ParsedUnit,
  recording: { path: string; name: string; mime: string },
): Promise<ParsedUnit[]> {
  const utterances = utterancesOf(await calls.hear(media.transcribe, recording))
  if (utterances.length === 0) return [unit]
  const title = unit.title ?? unit.text?.split('\n').join(' > ').slice(0, 1024) ?? null
  return utterances.map((utterance) => ({
    ...placed(utterance, unit),
    title,
    metadata: { ...unit.metadata, ...utterance.metadata },
  }))
}

/** A provider without times gives one stretch of speech: that is the whole recording. */
const placed = (utterance: Utterance, whole: ParsedUnit): ParsedUnit =>
  utterance.locator.kind === 'time_range' && utterance.locator.tEndMs === 0
    ? { ...utterance, locator: whole.locator }
    : utterance

async function seen(
  { media: { caption, ocr } }: Deps,
  calls: ModelCalls,
  unit: ParsedUnit,
  path: string,
  mime: string,
): Promise<ParsedUnit[]> {
  if (caption === null && ocr === null) return [unit]
  const picture = { mime, bytes: await readFile(path) }
  const [said, found] = await Promise.all([calls.read(caption, picture), calls.text(ocr, picture)])
  return withWords(withText(unit, [said]), found)
}

/**
 * The Unit of a picture or a page with the text in it. Where the places of the lines are known, that text stands in Units
 * of its own, as on a page of a PDF with text: each has the box around its lines.
 */
function withWords(unit: ParsedUnit, { text, lines }: PictureText): ParsedUnit[] {
  if (lines.length === 0) return [withText(unit, [text])]
  const { locator, metadata, title } = unit
  const page = locator?.kind === 'bbox' ? locator.page : undefined
  const clean = text.replaceAll('\0', ' ').toWellFormed()
  const whole = { start: 0, end: Math.min(clean.length, maxText) }
  const chunks = chunk({
    mime: 'text/plain',
    text: clean,
    textIsFile: false,
    charset: null,
    blocks: [{ kind: 'prose', ...whole, headings: [] }],
    locate: (span) => ({ locator: { kind: 'bbox', ...(page !== undefined && { page }), ...boxOf(lines, span) } }),
    units: [],
    attachments: [],
  })
  const about = title ?? unit.text?.split('\n').join(' > ').slice(0, 1024) ?? null
  return [unit, ...chunks.map((each): ParsedUnit => ({ ...each, modality: 'ocr', title: about, metadata }))]
}

/** The box around the lines that a span has a part of, rounded to a ten thousandth. */
function boxOf(lines: readonly TextLine[], { start, end }: Span) {
  const part = lines.filter((line) => line.start < end && line.end > start)
  const edge = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 10_000)
  const [x, y] = [edge(Math.min(...part.map((line) => line.x))), edge(Math.min(...part.map((line) => line.y)))]
  const right = edge(Math.max(...part.map((line) => line.x + line.w)))
  const bottom = edge(Math.max(...part.map((line) => line.y + line.h)))
  return { x: x / 10_000, y: y / 10_000, w: (right - x) / 10_000, h: (bottom - y) / 10_000 }
}

function withText(unit: ParsedUnit, read: readonly string[]): ParsedUnit {
  const lines = [unit.text ?? '', ...read.map((text) => text.replaceAll('\0', '').toWellFormed().trim())]
  const text = [...new Set(lines)].filter((line) => line !== '').join('\n')
  return text === '' ? unit : { ...unit, text: text.slice(0, maxText).toWellFormed() }
}

/** Calls models for one document. One that has failed is not called again for it. */
interface ModelCalls {
  /** Empty without a model, and where it fails. */
  read(model: ReadPicture | null, picture: Picture): Promise<string>
  text(model: ReadText | null, picture: Picture): Promise<PictureText>
  hear(model: Transcribe | null, recording: Recording): Promise<Cue[]>
  anyFailed(): boolean
  /** Of the first picture that a model cannot read. */
  problem(): string | null
}

const noText: PictureText = { text: '', lines: [] }

/** Throws only the reason of `stop`. */
function createModelCalls({ log }: Pick<Bindings, 'log'>, documentId: string, stop: AbortSignal): ModelCalls {
  const failed = new Set<unknown>()
  let problem: string | null = null
  const call = async <T>(model: unknown, ask: () => Promise<T>, otherwise: T): Promise<T> => {
    if (failed.has(model)) return otherwise
    try {
      return await ask()
    } catch (error) {
      stop.throwIfAborted()
      if (!failed.has(model)) log.warn({ err: error, documentId }, 'a model failed; the text will follow')
      failed.add(model)
      return otherwise
    }
  }
  return {
    read: async (model, picture) => (model ? call(model, () => model(picture, stop), '') : ''),
    text: async (model, picture) => {
      const found = model ? await call(model, () => model(picture, stop), noText) : noText
      problem ??= found.problem ?? null
      return found
    },
    hear: async (model, recording) => (model ? call<Cue[]>(model, () => model(recording, stop), []) : []),
    anyFailed: () => failed.size > 0,
    problem: () => problem,
  }
}
