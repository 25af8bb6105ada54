import { type Environment, readFlags, text } from '../program/command.ts'

/** The environment for the settings: flags win. */
export function environmentOf(args: readonly string[], env: Environment): Environment {
  const { host, port, 'data-dir': dataDir } = readFlags(args, { host: text, port: text, 'data-dir': text })
  return {
    ...env,
    ...(host !== undefined && { HOST: host }),
    ...(port !== undefined && { PORT: port }),
    ...(dataDir !== undefined && { DATA_DIR: dataDir }),
  }
}
