import { exportLog } from './audit/export.ts'
import { help } from './audit/help.ts'
import { exitCodes, type Outcome, Unchecked } from './audit/outcome.ts'
import { verifyLog } from './audit/verify.ts'

const commands = new Map([
  ['verify', verifyLog],
  ['export', exportLog],
])

/** `audit verify …`, `audit export …` */
async function main([name = '', ...args]: readonly string[]): Promise<Outcome> {
  if (name === '--help' || name === '-h' || name === 'help' || args.includes('--help') || args.includes('-h')) {
    return { code: exitCodes.intact, text: help }
  }
  const command = commands.get(name)
  if (!command) throw new Unchecked(`no such command: ${JSON.stringify(name)}; try --help`)
  return command(args, process.env)
}

main(process.argv.slice(2)).then(
  ({ code, text }) => {
    if (code !== exitCodes.intact) console.error(text)
    else if (text !== '') console.log(text)
    process.exitCode = code
  },
  (error: unknown) => {
    console.error(`audit: ${error instanceof Error ? error.message : error}`)
    process.exitCode = exitCodes.unchecked
  },
)
