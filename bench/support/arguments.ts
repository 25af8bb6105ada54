import { readFileSync } from 'node:fs'
import { type ParseArgsConfig, parseArgs } from 'node:util'

/**
 * `parseArgs` for a script whose first comment says how it is called. `--help` prints that comment, and so does a wrong
 * argument, after what is wrong with it.
 */
export function readArguments<const Config extends ParseArgsConfig>(config: Config) {
  if (process.argv.includes('--help')) {
    console.log(usage())
    process.exit(0)
  }
  try {
    return parseArgs(config)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage()}`)
    process.exit(2)
  }
}

function usage(): string {
  const [, comment = ''] = /\/\*\*\s+(?:\* )?(.*?)\s*\*\//s.exec(readFileSync(process.argv[1] ?? '', 'utf8')) ?? []
  return comment.replace(/^ \* ?/gm, '')
}
