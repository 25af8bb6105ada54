import { divideOpenFiles, openFilesLimit, requireOpenFiles } from './adapters/catalog/connection/pglite/open-files.ts'
import { OperatorError } from './model/operator-error.ts'

/** MB. With less for old objects V8 ends the process at its start, or under load. */
const minOldSpace = 128

/**
 * Throws a sentence for an operator, if this process may open too few files or use too little memory to serve. Returns
 * the number of connections that it may hold.
 */
export function requireLimits(): { maxConnections: number } {
  requireOpenFiles()
  const oldSpace = oldSpaceOf([process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' '))
  if (oldSpace < minOldSpace) {
    throw new OperatorError(
      `--max-old-space-size=${oldSpace} is too little memory for objects: the service needs at least ${minOldSpace} (MB)`,
    )
  }
  return { maxConnections: divideOpenFiles(openFilesLimit()).connections }
}

/** The last flag counts, as for V8. */
function oldSpaceOf(flags: string): number {
  const [, mb] = [...flags.matchAll(/--max[-_]old[-_]space[-_]size[= ](\d+)/g)].at(-1) ?? []
  return mb === undefined ? Number.POSITIVE_INFINITY : Number(mb)
}
