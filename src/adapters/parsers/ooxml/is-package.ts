import type { OpenFile } from '../../../ports/format.ts'
import { readDirectory } from '../archive/directory.ts'

/** Whether a file is a package of Office Open XML with parts in this folder. */
export const isPackage = (folder: string) => async (file: OpenFile) => {
  const entries = await readDirectory(file)
  const names = (entries ?? []).map(({ name }) => name)
  return names.includes('[Content_Types].xml') && names.some((name) => name.startsWith(folder) && name.endsWith('.xml'))
}
