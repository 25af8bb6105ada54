import { UsageError } from '../program/command.ts'
import type { Root } from './files/roots.ts'
import { type Found, type Selection, type Walked, walk } from './files/walk.ts'

export interface Files {
  found: Found[]
  /** What each PATH holds. */
  roots: (Walked & { root: Root })[]
}

/** Throws a `UsageError` for two files of one name: they would be one document. */
export async function findFiles(roots: readonly Root[], selection: Selection): Promise<Files> {
  const walked: Files['roots'] = []
  for (const root of roots) walked.push({ root, ...(await walk(root, selection)) })
  const found = walked.flatMap((one) => one.found)
  const paths = new Map<string, string>()
  for (const { file, path } of found) {
    const other = paths.get(file)
    if (other !== undefined)
      throw new UsageError(`two files are ${file}: ${other} and ${path}; take them in one at a time`)
    paths.set(file, path)
  }
  return { found, roots: walked }
}
