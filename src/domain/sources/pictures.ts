import { buffer as bytesOf } from 'node:stream/consumers'
import type { Picture } from '../../ports/models/media-models.ts'
import { inspect } from './content-type.ts'
import type { OpenRendition } from './source-links.ts'

/** Bytes. */
const longestPicture = 15 * 2 ** 20
/** What models of pictures read. */
const pictureTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** The picture in a source; null where it is none, or too large. Errors: 503 `source_store_unavailable`. */
export async function readPicture({ content, bytes, stream }: OpenRendition): Promise<Picture | null> {
  if (!pictureTypes.has(content.type) || bytes > longestPicture) return null
  return { mime: content.type, bytes: await bytesOf(stream()) }
}

/** The picture that these bytes are, by their signature; null for other bytes. */
export async function pictureIn(bytes: Uint8Array): Promise<Picture | null> {
  const inspection = inspect()
  inspection.take(bytes)
  const { type } = await inspection.contentType({ mime: null, name: null })
  return pictureTypes.has(type) ? { mime: type, bytes } : null
}
