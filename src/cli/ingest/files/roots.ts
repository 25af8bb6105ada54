import { createHash } from 'node:crypto'
import { access, constants, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { reasonOf, UsageError } from '../../program/command.ts'

/** A PATH of the command. */
export interface Root {
  /** Absolute. It may be a symbolic link. */
  path: string
  base: string
  isFolder: boolean
}

/** Throws a `UsageError` for a PATH that is not there, or can't be read. */
export function findRoots(paths: readonly string[]): Promise<Root[]> {
  return Promise.all(
    paths.map(async (path) => {
      const found = await stat(path).catch((error: unknown) => {
        throw new UsageError(`PATH ${reasonOf(error)}`)
      })
      const isFolder = found.isDirectory()
      if (!isFolder && !found.isFile()) throw new UsageError(`PATH ${path}: must be a folder or a file`)
      if (isFolder) {
        await access(path, constants.R_OK | constants.X_OK).catch((error: unknown) => {
          throw new UsageError(`PATH ${reasonOf(error)}`)
        })
      }
      return { path, base: basename(path), isFolder }
    }),
  )
}

const maxDocId = 128
const maxName = 1024

export const docIdOf = (file: string): string =>
  file.length <= maxDocId ? file : `sha256:${createHash('sha256').update(file).digest('hex')}`

/** The name to send: the end of a path that is too long. */
export const nameOf = (file: string): string => file.slice(-maxName).toWellFormed()
