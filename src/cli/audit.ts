import { exportLog } from './audit/export.ts'
import { help } from './audit/help.ts'
import { exitCodes } from './audit/outcome.ts'
import { verifyLog } from './audit/verify.ts'
import { runCommand, UsageError } from './command.ts'

const commands = new Map([
  ['verify', verifyLog],
  ['export', exportLog],
])

/** `audit verify …`, `audit export …` */
await runCommand({
  name: 'audit',
  help,
  run: async ([name = '', ...args], env) => {
    const command = commands.get(name)
    if (!command) throw new UsageError(`no such command: ${JSON.stringify(name)}; try --help`)
    const { code, text } = await command(args, env)
    if (code !== exitCodes.intact) console.error(text)
    else if (text !== '') console.log(text)
    return code
  },
  codeOf: () => exitCodes.unchecked,
})
