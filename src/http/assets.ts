import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, parse, sep } from 'node:path'
import { noSuchRoute } from '../errors.ts'
import { names } from './handlers.ts'
import type { HttpRequest, HttpResponse } from './message.ts'

/** A file of a build. Its name changes with its content. */
export interface Asset {
  contentType: string
  /** Codings that the build made of it. */
  encodings: readonly Encoding[]
  read(encoding: Encoding | null): Promise<Uint8Array>
}

export type Encoding = 'br' | 'gzip'

const endings: Record<Encoding, string> = { br: '.br', gzip: '.gz' }

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.json': 'application/json; charset=utf-8',
}

/** The files below `folder` by their paths in it, with `/`. Each is read when a browser loads it. */
export function readAssets(folder: string): ReadonlyMap<string, Asset> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const found = new Set(files.map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, '/').length)))
  return new Map(
    [...found]
      .filter((path) => !/\.(br|gz)$/.test(path))
      .map((path) => {
        const encodings = (['br', 'gzip'] as const).filter((encoding) => found.has(`${path}${endings[encoding]}`))
        const read = (encoding: Encoding | null) =>
          readFile(join(folder, encoding === null ? path : `${path}${endings[encoding]}`))
        const contentType = types[extname(path)] ?? 'application/octet-stream'
        return [path.replaceAll(sep, '/'), { contentType, encodings, read }]
      }),
  )
}

/** The file at `path` from the module at `base`, under a name that changes with its content. */
export function ownAsset(path: string, base: string, change = (text: string) => text): { name: string; asset: Asset } {
  const body = Buffer.from(change(readFileSync(new URL(path, base), 'utf8')))
  const { name, ext } = parse(path)
  const hash = createHash('sha256').update(body).digest('hex').slice(0, 8)
  const contentType = types[ext] ?? 'application/octet-stream'
  return { name: `${name}-${hash}${ext}`, asset: { contentType, encodings: [], read: async () => body } }
}

/**
 * The best coding of it that the caller takes.
 *
 * @throws ServiceError not_found where the file is gone: another build has taken its place since this process read the names
 */
export async function assetAnswer(asset: Asset, { method, target, headers }: HttpRequest): Promise<HttpResponse> {
  const encoding = asset.encodings.find((one) => names(headers['accept-encoding'], one)) ?? null
  const body = await asset.read(encoding).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? noSuchRoute(method, target) : error
  })
  return {
    status: 200,
    headers: {
      'content-type': asset.contentType,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      ...(encoding === null ? {} : { 'content-encoding': encoding }),
    },
    body,
  }
}
