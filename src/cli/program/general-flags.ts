import { UsageError } from './command.ts'

interface GeneralFlags {
  flags: ReadonlySet<'help' | 'version'>
  /** The value of `--env-file`. */
  file: string | undefined
  rest: string[]
}

/** Separates the flags that every command accepts. Arguments after `--` do not change. */
export function generalFlags(args: readonly string[]): GeneralFlags {
  const end = args.indexOf('--')
  const flags = new Set<'help' | 'version'>()
  let file: string | undefined
  const rest: string[] = []
  const own = end < 0 ? args : args.slice(0, end)
  for (let i = 0; i < own.length; i += 1) {
    const arg = own[i] ?? ''
    if (arg === '--help' || arg === '-h' || (arg === 'help' && i === 0)) flags.add('help')
    else if (arg === '--version' || arg === '-V') flags.add('version')
    else if (arg.startsWith('--env-file=')) file = arg.slice('--env-file='.length)
    else if (arg === '--env-file') {
      i += 1
      file = own[i]
      if (file === undefined) throw new UsageError('--env-file needs a FILE; try --help')
    } else rest.push(arg)
  }
  return { flags, file, rest: [...rest, ...args.slice(own.length)] }
}
