import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { OperatorError, RefusedError } from '../../model/operator-error.ts'

const maxRedirects = 5
/** Without a byte for this long a download has failed. */
const quietMs = 60_000

export interface FetchOptions {
  maxBytes: number
  signal: AbortSignal
  /** The SHA-256 that the file must have, in hexadecimal digits. */
  sha256?: string | undefined
}

/**
 * Writes what is at the address to a file. False when there is nothing (404, 410). Throws a RefusedError for a file that is
 * too large or another one than expected, and an OperatorError that names the fix for everything else.
 */
export async function fetchFile(address: string, to: string, options: FetchOptions): Promise<boolean> {
  const quiet = new AbortController()
  const timer = setTimeout(() => quiet.abort(), quietMs)
  const signal = AbortSignal.any([options.signal, quiet.signal])
  try {
    const { response, announced } = await follow(address, signal)
    if (response.status === 404 || response.status === 410) return false
    if (!response.ok) throw refusedBy(address, response.status)
    if (Number(response.headers.get('content-length')) > options.maxBytes) throw tooLarge(address, options.maxBytes)
    const hash = createHash('sha256')
    let bytes = 0
    const body = async function* () {
      for await (const chunk of response.body ?? []) {
        timer.refresh()
        bytes += chunk.length
        if (bytes > options.maxBytes) throw tooLarge(address, options.maxBytes)
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(Readable.from(body()), createWriteStream(to, { flags: 'wx' }))
    checkHash(address, hash.digest('hex'), options.sha256 ?? announced)
    return true
  } catch (error) {
    if (error instanceof OperatorError || isOfFiles(error) || options.signal.aborted) throw error
    const reason = quiet.signal.aborted ? `nothing came for ${quietMs / 1000} s` : reasonOf(error)
    throw new OperatorError(
      `${shown(address)} is out of reach (${reason}): check the network, or name a mirror or a file with --from`,
    )
  } finally {
    clearTimeout(timer)
  }
}

/** The response behind redirects, and the SHA-256 that the hub announces before it sends a client to its storage. */
async function follow(address: string, signal: AbortSignal): Promise<{ response: Response; announced?: string }> {
  let at = new URL(address)
  const { origin, username, password } = at
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
  let announced: string | undefined
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    // `fetch` takes no address with a password. Another server gets none.
    const knows = username !== '' && at.origin === origin
    const headers = new Headers(knows ? { authorization: `Basic ${basic}` } : {})
    const response = await fetch(`${at.origin}${at.pathname}${at.search}`, { redirect: 'manual', signal, headers })
    // The hub puts the hash of a large file between quotes: https://huggingface.co/docs/hub/api
    announced ??= /^"?([0-9a-f]{64})"?$/.exec(response.headers.get('x-linked-etag') ?? '')?.[1]
    const location = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || location === null)
      return { response, ...(announced && { announced }) }
    await response.body?.cancel()
    const next = URL.parse(location, at)
    if (next === null || !/^https?:$/.test(next.protocol) || (at.protocol === 'https:' && next.protocol === 'http:')) {
      throw new RefusedError(`${shown(address)} leads to an address that is not safe to follow`)
    }
    at = next
  }
  throw new RefusedError(`${shown(address)} leads on more than ${maxRedirects} times`)
}

/** Throws unless the hashes are equal. Without an expected one there is nothing to compare. */
export function checkHash(what: string, found: string, expected: string | undefined): void {
  if (expected === undefined || found === expected) return
  throw new RefusedError(
    `${shown(what)} is not the expected file: its SHA-256 is ${found}, not ${expected}; get it again, or from another place`,
  )
}

const tooLarge = (address: string, max: number) =>
  new RefusedError(`${shown(address)} is larger than ${Math.floor(max / 2 ** 20)} MiB`)

function refusedBy(address: string, status: number): OperatorError {
  const needsKey = status === 401 || status === 403
  const fix = needsKey
    ? 'it is not public; download it with your account, and name its directory with --from'
    : 'try again later, or name a mirror with --from'
  return new OperatorError(`${shown(address)} answers ${status}: ${fix}`)
}

/** Without what may be secret: user, password and query. Paths of files stay as they are. */
export function shown(address: string): string {
  const url = /^https?:/i.test(address) ? URL.parse(address) : null
  return url === null ? address : `${url.origin}${url.pathname}`
}

/** Errors of the file system have the path of what was written. */
const isOfFiles = (error: unknown) => error instanceof Error && 'syscall' in error && 'path' in error

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (cause instanceof Error && 'code' in cause) return String(cause.code)
  return cause instanceof Error ? cause.message : String(cause)
}
