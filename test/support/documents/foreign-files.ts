import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/** Files of many formats that were not made for this project. They are not part of it; tests skip visibly without them. */
const root = new URL('../../../../shared/data/files/', import.meta.url)

export const hasForeignFiles = existsSync(root)

export const foreignFile = (path: string): Promise<Buffer> => readFile(new URL(path, root))

/** The names in a folder; none where the files are not there. */
export const foreignNames = async (folder: string): Promise<string[]> =>
  hasForeignFiles ? (await readdir(new URL(`${folder}/`, root))).sort() : []
