import { readFile } from 'node:fs/promises'
import type { DocumentRecord } from '../../model/document.ts'
import { type Cue, type Utterance, utterancesOf } from '../../model/speech.ts'
import type { Picture, ReadPicture, Recording, Transcribe } from '../../ports/models/media-models.ts'
import type { FileToParse, ParsedFile, ParsedUnit } from '../../ports/parser.ts'
import type { Bindings } from '../bindings/bindings.ts'

type Deps = Pick<Bindings, 'media' | 'parser' | 'log'>

export interface ReadFile {
  file: ParsedFile
  /** A provider failed: the rest of the text is still to come. */
  pending: boolean
}

/** Pages of a PDF whose pictures are in memory at a time. */
const pagesAtOnce = 8

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
  const pageTexts = await readPages(deps, calls, file.units, { path, name, sidecar }, stop)
  const units: ParsedUnit[] = []
  for (const unit of file.units) {
    if (unit.media === 'recording') units.push(...(await heard(deps, calls, unit, { path, name, mime: file.mime })))
    else if (unit.media === 'picture') units.push(await seen(deps, calls, unit, path, file.mime))
    else units.push(withText(unit, [pageTexts.get(unit) ?? '']))
  }
  return { file: { ...file, units }, pending: calls.anyFailed() }
}

async function readPages(
  { media: { ocr }, parser }: Deps,
  calls: ModelCalls,
  units: readonly ParsedUnit[],
  file: FileToParse,
  stop: AbortSignal,
): Promise<Map<ParsedUnit, string>> {
  const texts = new Map<ParsedUnit, string>()
  const pages = ocr ? units.filter(({ media }) => media === 'page') : []
  for (let from = 0; from < pages.length && !calls.anyFailed(); from += pagesAtOnce) {
    const some = pages.slice(from, from + pagesAtOnce)
    const pictures = await parser.pagePictures(file, some.map(pageOf), stop)
    const read = pictures.map(async (bytes) => (bytes ? calls.read(ocr, { mime: 'image/png', bytes }) : ''))
    for (const [i, text] of (await Promise.all(read)).entries()) {
      const unit = some[i]
      if (unit) texts.set(unit, text)
    }
  }
  return texts
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
  { media }: Deps,
  calls: ModelCalls,
  unit: ParsedUnit,
  path: string,
  mime: string,
): Promise<ParsedUnit> {
  const readers: (ReadPicture | null)[] = [media.caption, media.ocr]
  if (readers.every((reader) => reader === null)) return unit
  const picture = { mime, bytes: await readFile(path) }
  return withText(unit, await Promise.all(readers.map((reader) => calls.read(reader, picture))))
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
  hear(model: Transcribe | null, recording: Recording): Promise<Cue[]>
  anyFailed(): boolean
}

/** Throws only the reason of `stop`. */
function createModelCalls({ log }: Pick<Bindings, 'log'>, documentId: string, stop: AbortSignal): ModelCalls {
  const failed = new Set<unknown>()
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
    hear: async (model, recording) => (model ? call<Cue[]>(model, () => model(recording, stop), []) : []),
    anyFailed: () => failed.size > 0,
  }
}
