import type { Format } from '../../../ports/format.ts'
import { pictureMime } from './kind.ts'

/** SVG is not one of them: it is XML, and read as such. */
export const picture: Format = {
  name: 'a picture',
  extensions: ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif'],
  kind: 'binary',
  claims: ({ head }) => pictureMime(head) !== null,
  load: async () => (await import('./read-picture.ts')).readPicture,
}
