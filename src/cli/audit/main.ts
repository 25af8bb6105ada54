import { runCommand, UsageError } from '../program/command.ts'
import { exportLog } from './export.ts'
import { help } from './help.ts'
import { exitCodes } from './outcome.ts'
import { verifyLog } from './verify.ts'

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
