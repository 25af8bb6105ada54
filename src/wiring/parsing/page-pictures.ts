import { withFile } from '../../adapters/parsers/open-file.ts'
import { pictureMime } from '../../adapters/parsers/picture-size.ts'
import type { FileToParse, PagePicture } from '../../ports/parser.ts'

/** Pictures of pages, here and now, without limits of time and memory. */
export const pagePictures = (file: FileToParse, pages: readonly number[]): Promise<(PagePicture | null)[]> =>
  withFile(file, async (open) => {
    if (pictureMime(open.head) === 'image/tiff')
      return (await import('../../adapters/parsers/read-picture.ts')).tiffPictures(open, pages)
    const { picturesOfPages } = await import('../../adapters/parsers/pdf/page-pictures.ts')
    return picturesOfPages(open, pages)
  })
