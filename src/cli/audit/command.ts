import { type Command, noSuchCommand } from '../program/command.ts'
import { exportLog } from './export.ts'
import { exitCodes } from './outcome.ts'
import { verifyLog } from './verify.ts'

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
