import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Asset, readAssets } from '../assets.ts'

/** A build of the console, as `npm run build:console` leaves it. */
export interface ConsoleBuild {
  /** The page. */
  html: string
  etag: string
  /** Null for a name that the build does not have. */
  asset(name: string): Asset | null
}

/** Null if the console is not built. `brand` is written into the page: the console needs it for its first request. */
export function readBuild(directory: string, brand: string): ConsoleBuild | null {
  const html = readPage(directory)?.replace('name="brand" content="svc"', `name="brand" content="${brand}"`)
  if (html === undefined) return null
  const assets = readAssets(join(directory, 'assets'))
  return { html, etag: pageTag(html), asset: (name) => assets.get(name) ?? null }
}

/** The entity tag of a page. */
export const pageTag = (html: string): string => `"${createHash('sha256').update(html).digest('hex').slice(0, 32)}"`

function readPage(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'index.html'), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
