import { type Command, type Commands, readFlags, UsageError } from '../program/command.ts'
import { type Completed, shells } from './shells.ts'

/** The command `completion` of a program. */
export function completionOf(commands: Commands): { command: Command } {
  const completed: Completed = Object.entries(commands).map(([name, { help }]) => ({ name, ...wordsOf(help) }))
  const run = async (args: readonly string[]) => {
    const { positionals } = readFlags({ args: [...args], allowPositionals: true })
    const [shell, ...others] = positionals
    const script = shell === undefined ? undefined : shells.get(shell)
    if (script === undefined || others.length > 0) throw new UsageError('completion takes one of bash, zsh and fish')
    console.log(script(completed))
    return 0
  }
  return { command: { name: 'completion', run, codeOf: () => 2 } }
}

/** Each help names all flags of its command, and its usage lines begin with the verb where there is one. */
function wordsOf(help: string): { flags: string[]; verbs: string[] } {
  const flags = new Set([...(help.match(/--[a-z][a-z-]*/g) ?? []), '--help', '--version', '--env-file'])
  const verbs = [...help.matchAll(/^ {2}multimodal-retrieval [a-z]+ ([a-z|]+)(?: |$)/gm)]
  return { flags: [...flags].sort(), verbs: [...new Set(verbs.flatMap(([, verb = '']) => verb.split('|')))] }
}
