import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'
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
    const status = response.statusCode ?? 0
    if (status === 404 || status === 410) return false
    if (status < 200 || status > 299) throw refusedBy(address, status)
    if (Number(response.headers['content-length']) > options.maxBytes) throw tooLarge(address, options.maxBytes)
    const hash = createHash('sha256')
    let bytes = 0
    const check = async function* (body: AsyncIterable<Buffer>) {
      for await (const chunk of body) {
        timer.refresh()
        bytes += chunk.length
        if (bytes > options.maxBytes) throw tooLarge(address, options.maxBytes)
        hash.update(chunk)
        yield chunk
      }
    }
    await pipeline(response, check, createWriteStream(to, { flags: 'wx' }))
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
    // Closes what is not read to its end.
    quiet.abort()
  }
}

/** The response behind redirects, and the SHA-256 that the hub announces before it sends a client to its storage. */
async function follow(
  address: string,
  signal: AbortSignal,
): Promise<{ response: IncomingMessage; announced?: string }> {
  let at = new URL(address)
  const { origin, username, password } = at
  let announced: string | undefined
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    // Another server gets no password.
    const knows = username !== '' && at.origin === origin
    const auth = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    const response = await request(at, { signal, ...(knows && { auth }) })
    // The hub puts the hash of a large file between quotes: https://huggingface.co/docs/hub/api
    announced ??= /^"?([0-9a-f]{64})"?$/.exec(String(response.headers['x-linked-etag']))?.[1]
    const { statusCode = 0, headers } = response
    if (statusCode < 300 || statusCode > 399 || headers.location === undefined)
      return { response, ...(announced && { announced }) }
    response.destroy()
    const next = URL.parse(headers.location, at)
    if (next === null || !/^https?:$/.test(next.protocol) || (at.protocol === 'https:' && next.protocol === 'http:')) {
      throw new RefusedError(`${shown(address)} leads to an address that is not safe to follow`)
    }
    at = next
  }
  throw new RefusedError(`${shown(address)} leads on more than ${maxRedirects} times`)
}

/** Not `fetch`: that of Node 24 ends the process where a server closes a connection whose answer is written slowly to a disk. */
async function request(at: URL, options: { signal: AbortSignal; auth?: string }): Promise<IncomingMessage> {
  const asked = (at.protocol === 'https:' ? getSecurely : get)(`${at.origin}${at.pathname}${at.search}`, options)
  const [response] = await once(asked, 'response')
  // From here on the response has the errors.
  asked.on('error', () => {})
  return response
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
