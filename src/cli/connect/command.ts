import { chmod, mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { OperatorError } from '../../model/operator-error.ts'
import { type Command, noSuchCommand, readFlags, UsageError } from '../program/command.ts'
import { readAddress } from '../program/service.ts'
import { agents, type Entry, placesOf } from './agents.ts'
import { changed, difference } from './change.ts'

type Environment = Record<string, string | undefined>

const flag = { type: 'boolean' } as const
const text = { type: 'string' } as const

async function main(args: readonly string[], env: Environment): Promise<number> {
  const { values, positionals } = readFlags({
    args: [...args],
    options: { url: text, scope: text, name: text, project: flag, consent: flag, print: flag, remove: flag, yes: flag },
    allowPositionals: true,
  })
  const [word, ...others] = positionals
  const agent = word !== undefined && Object.hasOwn(agents, word) ? agents[word] : undefined
  if (!agent || others.length > 0) throw noSuchCommand(others[0] ?? word, Object.keys(agents))
  const { name = 'retrieval', remove = false, print = false } = values
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw new UsageError('--name takes letters, digits, - and _; try --help')
  const entry = remove ? null : entryOf(values, env)
  const file = agent.fileOf(placesOf(env), values.project === true)
  if (print) {
    console.log(`${file}:\n\n${changed('', agent.format, { name, entry }).trimEnd()}`)
    return 0
  }
  const before = await readText(file)
  const after = await attempt(file, () => changed(before, agent.format, { name, entry }))
  if (after === before) {
    console.log(`${file} stays as it is: ${remove ? `it has no ${name}` : `${name} is there already`}.`)
    return 0
  }
  console.log(`${file}${before === '' ? ' (new)' : ''}:\n\n${difference(before, after)}\n`)
  if (values.yes !== true && !(await isWanted())) return 1
  await write(file, after)
  console.log(entry ? `Written. ${agent.next(entry)}` : `Written. Restart ${agent.title}.`)
  return 0
}

function entryOf(
  { url, scope, consent }: { url?: string; scope?: string; consent?: boolean },
  env: Environment,
): Entry {
  const address = new URL('/mcp', readAddress(url, env))
  if (scope !== undefined) address.searchParams.set('scope', scope)
  return { url: address.href, token: consent === true ? null : 'SVC_TOKEN' }
}

async function isWanted(): Promise<boolean> {
  if (process.stdin.isTTY !== true) throw new UsageError('no terminal to ask on: --yes writes without asking')
  const asking = createInterface({ input: process.stdin, output: process.stdout })
  const said = await asking.question('Write this? [y/N] ')
  asking.close()
  return /^y(es)?$/i.test(said.trim())
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

async function attempt(file: string, change: () => string): Promise<string> {
  try {
    return change()
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${file} ${error.message}`) : error
  }
}

/** In one step: an agent never reads half of it. A link stays a link, and the file keeps its mode. */
async function write(file: string, content: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const target = await realpath(file).catch(() => file)
  const mode = await stat(target).then(
    (found) => found.mode,
    () => null,
  )
  const part = `${target}.${process.pid}.part`
  await writeFile(part, content)
  if (mode !== null) await chmod(part, mode)
  await rename(part, target)
}

export const command: Command = { name: 'connect', run: main, codeOf: () => 2 }
