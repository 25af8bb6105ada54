import { createWriteStream } from 'node:fs'
import { readFile, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { exitCodes, type Outcome, reasonOf, Unchecked } from './outcome.ts'

/** `audit export --url URL …`: writes a namespace's log. Throws `Unchecked` when it is not whole. */
export async function exportLog(args: readonly string[], env: Record<string, string | undefined>): Promise<Outcome> {
  const { url, namespace, format, out, 'token-file': tokenFile } = readArgs(args)
  const token = tokenFile === undefined ? env.SVC_TOKEN : (await readFile(tokenFile, 'utf8')).trim()
  if (!token) throw new Unchecked('a token is needed: --token-file FILE, or SVC_TOKEN')
  const link = await requestLink({ url, token, namespace, format })
  // On the address that was given: the public one may be out of reach from here.
  const { pathname } = new URL(link, url)
  const response = await fetch(new URL(pathname, url)).catch(brokenOff)
  if (!response.ok || !response.body) throw new Unchecked(`the export was answered with ${response.status}`)
  const body = Readable.from(response.body)
  if (out === undefined) await pipeline(body, process.stdout, { end: false }).catch(brokenOff)
  else await writeWhole(body, out)
  return { code: exitCodes.intact, text: '' }
}

function readArgs(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = { url: text, namespace: text, format: text, out: text, 'token-file': text }
  const { values } = parseArgs({ args: [...args], options })
  const { url, format = 'ndjson' } = values
  if (url === undefined || !/^https?:$/.test(URL.parse(url)?.protocol ?? '')) {
    throw new Unchecked('--url must be where the service is, such as http://127.0.0.1:8787')
  }
  return { ...values, url, format }
}

interface LinkRequest {
  url: string
  token: string
  namespace: string | undefined
  format: string
}

/** Asks for a one-time link. */
async function requestLink({ url, token, namespace, format }: LinkRequest): Promise<string> {
  const query = 'mutation($format: AuditExportFormat) { exportAudit(format: $format) { url } }'
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(namespace === undefined ? {} : { [`x-${brandOf(token)}-namespace`]: namespace }),
    },
    body: JSON.stringify({ query, variables: { format } }),
  }).catch(failed)
  const answer: unknown = await response.json().catch(() => null)
  const link = textAt(answer, ['data', 'exportAudit', 'url'])
  if (link !== null) return link
  throw new Unchecked(textAt(answer, ['errors', '0', 'message']) ?? `${url} answered ${response.status}`)
}

/** The header that names a namespace holds the service's brand, and so do tokens; the super-admin's may be anything. */
const brandOf = (token: string): string => /^([a-z][a-z0-9]{0,15})_sk_/.exec(token)?.[1] ?? 'svc'

/** The text at a path into a JSON value; null when there is none. */
function textAt(value: unknown, path: readonly string[]): string | null {
  const found = path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? Object.entries(at).find(([name]) => name === key)?.[1] : null,
    value,
  )
  return typeof found === 'string' ? found : null
}

/** Under its own name only once it is whole and on disk. */
async function writeWhole(body: Readable, file: string): Promise<void> {
  const partial = `${file}.partial`
  try {
    await pipeline(body, createWriteStream(partial, { flush: true }))
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    brokenOff(error)
  }
}

function failed(error: unknown): never {
  throw new Unchecked(reasonOf(error))
}

function brokenOff(error: unknown): never {
  throw new Unchecked(`the export is not whole: ${reasonOf(error)}`)
}
