import { type Command, readFlags, UsageError } from '../program/command.ts'
import { readService, type Service, serviceFlags } from '../program/service.ts'
import { createBridge, linesOf } from './bridge.ts'

type Environment = Record<string, string | undefined>

async function readArgs(args: readonly string[], env: Environment): Promise<Service> {
  const { values } = readFlags({
    args: [...args],
    options: { ...serviceFlags, stdio: { type: 'boolean' } },
  })
  if (!values.stdio) throw new UsageError('--stdio is needed: it is the only transport; try --help')
  return readService(values, env)
}

async function main(args: readonly string[], env: Environment): Promise<number> {
  const bridge = createBridge(
    await readArgs(args, env),
    (line) => process.stdout.write(`${line}\n`),
    (problem) => console.error(`mcp: ${problem}`),
  )
  for await (const line of linesOf(process.stdin)) bridge.receive(line)
  await bridge.idle()
  return 0
}

export const command: Command = { name: 'mcp', run: main, codeOf: () => 2 }
