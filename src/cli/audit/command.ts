import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { type Command, type Environment, noSuchCommand, readFlags, reasonOf, text } from '../program/command.ts'
import { ask } from '../program/graphql.ts'
import { readService, serviceFlags } from '../program/service.ts'
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
export async function exportLog(args: readonly string[], env: Environment): Promise<Outcome> {
  const { format = 'ndjson', out, ...values } = readFlags(args, { ...serviceFlags, format: text, out: text })
  const service = await readService(values, env)
  const { url } = service
  const { exportAudit } = await ask(service, linkAnswer, linkQuery, { format }).catch((error: unknown) => {
    throw new UncheckedError(reasonOf(error))
  })
  // Uses the given address: the public one may be unreachable from here.
  const { pathname } = new URL(exportAudit.url, url)
  const response = await fetch(new URL(pathname, url)).catch(brokenOff)
  if (!response.ok || !response.body) throw new UncheckedError(`the export was answered with ${response.status}`)
  const body = Readable.from(response.body)
  if (out === undefined) await pipeline(body, process.stdout, { end: false }).catch(brokenOff)
  else await writeWhole(body, out)
  return { code: exitCodes.intact, text: '' }
}

/** Requests a one-time link. */
const linkQuery = 'mutation($format: AuditExportFormat) { exportAudit(format: $format) { url } }'
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

function brokenOff(error: unknown): never {
  throw new UncheckedError(`the export is not whole: ${reasonOf(error)}`)
}
