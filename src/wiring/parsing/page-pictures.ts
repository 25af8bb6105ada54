import { withFile } from '../../adapters/parsers/open-file.ts'
import type { FileToParse, PagePicture } from '../../ports/parser.ts'

/** Pictures of pages of a PDF, here and now, without limits of time and memory. */
export const pagePictures = (file: FileToParse, pages: readonly number[]): Promise<(PagePicture | null)[]> =>
  withFile(file, async (open) => {
    const { picturesOfPages } = await import('../../adapters/parsers/pdf/page-pictures.ts')
    return picturesOfPages(open, pages)
  })
