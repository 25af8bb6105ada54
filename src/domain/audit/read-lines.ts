import type { Namespace } from '../../model/registry.ts'
import type { AuditReader } from '../../ports/catalog/audit-reader.ts'

/** Rows per read: the embedded database serves others between reads, and each read costs as much as 500 rows. */
const pageRows = 8000
const pagesAhead = 2

export interface Page {
  end: number
  lines: string[]
}

/**
 * Reads the pages of a log above one seq and up to another, in order and ahead of the hashing: on a busy machine the
 * database and the hashing are slow at different times.
 */
export async function* readLinePages(
  audit: AuditReader,
  namespace: Namespace,
  above: number,
  upTo: number,
): AsyncGenerator<Page> {
  const coming: Promise<Page>[] = []
  let from = above
  let isWanted = true
  const read = async (begin: number, end: number, before: Promise<Page> | undefined): Promise<Page> => {
    await before
    return { end, lines: isWanted ? await audit.lines(namespace, begin, end) : [] }
  }
  const readAhead = () => {
    for (; coming.length < pagesAhead && from < upTo; from = Math.min(from + pageRows, upTo)) {
      const page = read(from, Math.min(from + pageRows, upTo), coming.at(-1))
      // The error is handled when this page is used.
      page.catch(() => {})
      coming.push(page)
    }
  }
  try {
    for (readAhead(); coming[0]; ) {
      const page = await coming[0]
      coming.shift()
      readAhead()
      yield page
    }
  } finally {
    isWanted = false
    await Promise.allSettled(coming)
  }
}
