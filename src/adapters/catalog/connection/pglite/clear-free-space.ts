import { pageBytes, pageChecksum, storeChecksum, storedChecksum } from './page-checksum.ts'

/** Pages per file: PostgreSQL splits a relation into files of 1 GiB. */
const pagesPerFile = 2 ** 30 / pageBytes

/** A relation's own pages; the maps next to them (`_fsm`, `_vm`) have another page layout. */
const relationFile = /\/base\/\d+\/\d+(?:\.(\d+))?$/

/** The special space at the end of a page: none in a table, 16 bytes in a B-tree. */
const pageEnds = [pageBytes, pageBytes - 16]

/** The fields of a page's header: `PageHeaderData` in PostgreSQL's storage/bufpage.h. */
const [lowerAt, upperAt, specialAt, headerBytes] = [12, 14, 16, 24]

/**
 * Clears the free space of pages before they are written to a relation's file. VACUUM marks the space of deleted rows
 * as free and leaves their bytes in it. PostgreSQL never reads those bytes, and its own page images leave them out.
 * `bytes` are written to `path` at `position`. Only whole pages of tables and B-trees are changed.
 */
export function clearFreeSpace(path: string, bytes: Uint8Array, position: number): void {
  const file = relationFile.exec(path)
  if (!file || bytes.length % pageBytes !== 0 || position % pageBytes !== 0) return
  const first = Number(file[1] ?? 0) * pagesPerFile + position / pageBytes
  for (let at = 0; at < bytes.length; at += pageBytes) {
    clearPage(bytes.subarray(at, at + pageBytes), first + at / pageBytes)
  }
}

function clearPage(bytes: Uint8Array, block: number): void {
  const page = new DataView(bytes.buffer, bytes.byteOffset, pageBytes)
  const [lower, upper] = [page.getUint16(lowerAt, true), page.getUint16(upperAt, true)]
  const special = page.getUint16(specialAt, true)
  const isKnown = pageEnds.includes(special) && lower >= headerBytes && lower <= upper && upper <= special
  if (!isKnown || isClear(bytes.subarray(lower, upper))) return
  const checksum = storedChecksum(page)
  // A damaged page keeps its wrong checksum: that is how PostgreSQL detects it.
  if (checksum !== 0 && checksum !== pageChecksum(page, block)) return
  bytes.fill(0, lower, upper)
  if (checksum !== 0) storeChecksum(page, pageChecksum(page, block))
}

const zeros = Buffer.alloc(pageBytes)
const isClear = (space: Uint8Array): boolean => zeros.compare(space, 0, space.length, 0, space.length) === 0
