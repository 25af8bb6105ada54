import { batchesOf } from '../../async/pieces.ts'
import type { Plane } from '../../model/unit.ts'
import type { StoredSource } from '../../ports/catalog.ts'
import type { Picture } from '../../ports/models/media-models.ts'
import { ParseError } from '../../ports/parser.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { withLocalFile } from '../sources/local-file.ts'
import { readPicture } from '../sources/pictures.ts'
import { type OpenRendition, openRendition } from '../sources/source-links.ts'

export type PassageDeps = Pick<Bindings, 'catalog' | 'inference' | 'log' | 'objects' | 'parser'>

interface Passage {
  namespaceId: string
  unitId: string
  /** Empty where it has none. */
  text: string
}

/** Pictures in memory at a time. */
const picturesAtOnce = 4

/**
 * The vectors of Units, in order. Where the plane's model has a tower for pictures, a Unit whose picture can be read gets
 * the vector of its pixels, and every other one that of its text. Null for a Unit with neither. Throws as the model does.
 */
export async function embedPassages(
  deps: PassageDeps,
  plane: Plane,
  units: readonly Passage[],
  stop: AbortSignal,
): Promise<(Float32Array | null)[]> {
  const { inference } = deps
  const vectors = inference.model(plane).images
    ? await embedPictures(deps, plane, units, stop)
    : new Map<Passage, Float32Array>()
  const read = units.filter((unit) => !vectors.has(unit))
  const texts = read.map(({ text }) => text)
  const ofTexts = texts.length === 0 ? [] : await inference.embed(plane, texts, 'passage', stop)
  for (const [i, unit] of read.entries()) {
    const vector = ofTexts[i]
    if (vector) vectors.set(unit, vector)
  }
  return units.map((unit) => vectors.get(unit) ?? null)
}

async function embedPictures(
  deps: PassageDeps,
  plane: Plane,
  units: readonly Passage[],
  stop: AbortSignal,
): Promise<Map<Passage, Float32Array>> {
  const embedded = new Map<Passage, Float32Array>()
  for (const some of batchesOf(units, { maxItems: picturesAtOnce })) {
    stop.throwIfAborted()
    const found = await Promise.all(some.map((unit) => pictureOf(deps, unit, stop)))
    const shown = some.flatMap((unit, i) => (found[i] ? [{ unit, picture: found[i] }] : []))
    if (shown.length === 0) continue
    const pictures = shown.map(({ picture }) => picture)
    const vectors = (await deps.inference.embedImages?.(plane, pictures, 'passage', stop)) ?? []
    for (const [i, { unit }] of shown.entries()) {
      const vector = vectors[i]
      if (vector) embedded.set(unit, vector)
    }
  }
  return embedded
}

/** The picture that a Unit is: its source, or the largest picture on its page of a PDF. */
async function pictureOf(deps: PassageDeps, { namespaceId, unitId }: Passage, stop: AbortSignal) {
  const found = await deps.catalog.sources.pictureOf(namespaceId, unitId)
  const opened = found && (await openRendition(deps, namespaceId, found.source, 'original'))
  if (!opened) return null
  return /^(application\/pdf|image\/tiff)$/.test(opened.content.type) && found.page !== null
    ? pagePicture(deps, found.source, opened, found.page, stop)
    : readPicture(opened)
}

async function pagePicture(
  { parser, log }: PassageDeps,
  { id, name }: StoredSource,
  { stream }: OpenRendition,
  page: number,
  stop: AbortSignal,
): Promise<Picture | null> {
  try {
    const [picture] = await withLocalFile(stream(), (path) =>
      parser.pagePictures({ path, name: name ?? 'document.pdf', sidecar: null }, [page], stop),
    )
    return picture ? { mime: picture.mime, bytes: picture.bytes } : null
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    log.info({ err: error, sourceId: id, page }, 'a page has no picture that can be read; its text is embedded')
    return null
  }
}
