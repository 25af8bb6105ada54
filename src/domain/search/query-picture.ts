import { InvalidInputError } from '../../errors.ts'
import type { QueryImage } from '../../model/search.ts'
import type { Session } from '../../model/session.ts'
import { planes as allPlanes, type Plane } from '../../model/unit.ts'
import type { Picture } from '../../ports/models/media-models.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { pictureIn, readPicture } from '../sources/pictures.ts'
import { openRendition } from '../sources/source-links.ts'
import type { Plan } from './plan.ts'

type Deps = Pick<Bindings, 'catalog' | 'inference' | 'log' | 'objects'>

/**
 * The picture of a query. Errors: 400 for bytes that are not a picture, for a source that the caller did
 * not upload, where no plane searched has a model that reads pictures, and for a vector beside the picture in such a plane.
 */
export async function queryPicture(
  deps: Deps,
  session: Session,
  { planes, query: { vector } }: Plan,
  image: QueryImage,
): Promise<Picture> {
  const readers = planes.filter((plane) => readsPictures(deps, plane))
  if (readers.length === 0) throw new InvalidInputError(['image'], lacking(deps))
  const twice = readers.find((plane) => vector[plane])
  if (twice)
    throw new InvalidInputError(['vector', twice], 'must not be there with an image, which has a vector itself')
  const picture = image.bytes ? await pictureIn(image.bytes) : await ownPicture(deps, session, image.sourceUri)
  if (picture) return picture
  const field = image.bytes ? 'base64' : 'sourceUri'
  const maxMiB = image.bytes ? 4 : 15
  throw new InvalidInputError(['image', field], `must be a picture: PNG, JPEG, GIF or WebP, at most ${maxMiB} MiB`)
}

export const readsPictures = ({ inference }: Pick<Bindings, 'inference'>, plane: Plane): boolean =>
  inference.model(plane).images === true

const lacking = (deps: Deps): string =>
  allPlanes.some((plane) => readsPictures(deps, plane))
    ? 'no plane searched has a model that reads pictures'
    : 'no model here reads pictures: set EMBED_MODEL_VISUAL'

async function ownPicture(deps: Deps, session: Session, uri: string): Promise<Picture | null> {
  const namespaceId = session.namespace.id
  const source = await deps.catalog.sources.own(namespaceId, uri, session.principalId)
  const opened = source && (await openRendition(deps, namespaceId, source, 'original'))
  if (!opened) throw new InvalidInputError(['image', 'sourceUri'], 'must be a source that you uploaded')
  return readPicture(opened)
}
