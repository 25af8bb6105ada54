import { withServer } from './with-server.ts'

const [program, ...args] = process.argv.slice(2)
if (program === undefined) throw new Error('usage: node scripts/postgresql/run.ts COMMAND [ARGUMENT…]')
process.exit(await withServer(program, args))
