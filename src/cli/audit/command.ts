import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { type Command, noSuchCommand, readFlags, reasonOf } from '../program/command.ts'
import { ask } from '../program/graphql.ts'
import { readService, type Service, serviceFlags } from '../program/service.ts'
import { exitCodes, type Outcome, UncheckedError, verifyLog } from './verify.ts'

const commands = new Map([
  ['verify', verifyLog],
  ['export', exportLog],
])

/** `audit verify …`, `audit export …` */
export const command: Command = {
  name: 'audit',
  run: async ([name, ...args], env) => {
    const named = commands.get(name ?? '')
    if (!named) throw noSuchCommand(name, [...commands.keys()])
    const { code, text } = await named(args, env)
    if (code !== exitCodes.intact) console.error(text)
    else if (text !== '') console.log(text)
    return code
  },
  codeOf: () => exitCodes.unchecked,
}

/** `audit export --url URL …`: writes a namespace's log. Throws `UncheckedError` when the log is not complete. */
export async function exportLog(args: readonly string[], env: Record<string, string | undefined>): Promise<Outcome> {
  const { format, out, ...values } = readArgs(args)
  const service = await readService(values, env)
  const { url } = service
  const link = await requestLink({ ...service, format })
  // Uses the given address: the public one may be unreachable from here.
  const { pathname } = new URL(link, url)
  const response = await fetch(new URL(pathname, url)).catch(brokenOff)
  if (!response.ok || !response.body) throw new UncheckedError(`the export was answered with ${response.status}`)
  const body = Readable.from(response.body)
  if (out === undefined) await pipeline(body, process.stdout, { end: false }).catch(brokenOff)
  else await writeWhole(body, out)
  return { code: exitCodes.intact, text: '' }
}

function readArgs(args: readonly string[]) {
  const text = { type: 'string' } as const
  const options = { ...serviceFlags, format: text, out: text }
  const { values } = readFlags({ args: [...args], options })
  return { ...values, format: values.format ?? 'ndjson' }
}

interface LinkRequest extends Service {
  format: string
}

/** Requests a one-time link. */
async function requestLink({ format, ...service }: LinkRequest): Promise<string> {
  const query = 'mutation($format: AuditExportFormat) { exportAudit(format: $format) { url } }'
  const { exportAudit } = await ask(service, linkAnswer, query, { format }).catch(failed)
  return exportAudit.url
}

const linkAnswer = z.object({ exportAudit: z.object({ url: z.string() }) })

/** The file gets its final name only when it is complete and on disk. */
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
  throw new UncheckedError(reasonOf(error))
}

function brokenOff(error: unknown): never {
  throw new UncheckedError(`the export is not whole: ${reasonOf(error)}`)
}
