import { type Command, type Commands, onlyWord, readWords, UsageError } from '../program/command.ts'

/** The command `completion` of a program. */
export function completionOf(commands: Commands): { command: Command } {
  const completed: Completed = Object.entries(commands).map(([name, { help }]) => ({ name, ...wordsOf(help) }))
  const run = async (args: readonly string[]) => {
    const problem = 'one of bash, zsh and fish is needed'
    const script = shells.get(onlyWord(readWords(args, {}).positionals, problem))
    if (script === undefined) throw new UsageError(problem)
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

/** What can follow the program's name: a command, then its verbs and flags. */
type Completed = readonly { name: string; verbs: readonly string[]; flags: readonly string[] }[]

const program = 'multimodal-retrieval'

/** The script of each shell. */
const shells: ReadonlyMap<string, (commands: Completed) => string> = new Map([
  ['bash', bash],
  ['zsh', zsh],
  ['fish', fish],
])

const namesOf = (commands: Completed): string => commands.map(({ name }) => name).join(' ')

const cases = (commands: Completed, line: (words: string) => string): string =>
  commands.map(({ name, verbs, flags }) => `    ${name}) ${line([...verbs, ...flags].join(' '))} ;;`).join('\n')

/** Programmable completion of the GNU Bash manual; files where nothing else fits. */
function bash(commands: Completed): string {
  return `_multimodal_retrieval() {
  local words
  if [ "$COMP_CWORD" -eq 1 ]; then words='${namesOf(commands)} help --help --version'
  else case "\${COMP_WORDS[1]}" in
${cases(commands, (words) => `words='${words}'`)}
    help) words='${namesOf(commands)}' ;;
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _multimodal_retrieval ${program}`
}

/** The completion system of zsh(1), zshcompsys. */
function zsh(commands: Completed): string {
  return `#compdef ${program}
_multimodal_retrieval() {
  if (( CURRENT == 2 )); then compadd -- ${namesOf(commands)} help --help --version; return; fi
  case "$words[2]" in
${cases(commands, (words) => `compadd -- ${words}; _files`)}
    help) compadd -- ${namesOf(commands)} ;;
  esac
}
compdef _multimodal_retrieval ${program}`
}

/** complete(1) of fish. */
function fish(commands: Completed): string {
  const lines = commands.flatMap(({ name, verbs, flags }) => [
    `complete -c ${program} -n __fish_use_subcommand -a ${name}`,
    ...verbs.map((verb) => `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -a ${verb}`),
    ...flags.map((flag) => `complete -c ${program} -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  ])
  return lines.join('\n')
}
