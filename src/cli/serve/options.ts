import { readFlags } from '../program/command.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The environment for the settings: flags win. */
export function environmentOf(args: readonly string[], env: Environment): Environment {
  const text = { type: 'string' } as const
  const { values } = readFlags({ args: [...args], options: { host: text, port: text, 'data-dir': text } })
  const { host, port, 'data-dir': dataDir } = values
  return {
    ...env,
    ...(host !== undefined && { HOST: host }),
    ...(port !== undefined && { PORT: port }),
    ...(dataDir !== undefined && { DATA_DIR: dataDir }),
  }
}
