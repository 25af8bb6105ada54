import type { Command } from './cli/program/command.ts'
import { environmentOf } from './cli/serve/options.ts'
import { takeCompiled } from './compiled.ts'
import { startFailure } from './start-failure.ts'

export const command: Command = {
  run: async (args, env) => {
    const settings = environmentOf(args, env)
    takeCompiled(settings)
    // Loaded only now: the modules of the service are many.
    const { serve } = await import('./service.ts')
    await serve(settings).catch((error: unknown) => {
      console.error(startFailure(error))
      process.exit(1)
    })
    return undefined
  },
  codeOf: () => 1,
}
