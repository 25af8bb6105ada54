import { readFlags, UsageError } from '../program/command.ts'
import { readAddress, readToken } from '../program/service.ts'

type Environment = Readonly<Record<string, string | undefined>>

export type SeedCommand =
  | { kind: 'ask'; url: string; token: string | null; out: string | undefined }
  | { kind: 'rotate'; env: Environment; out: string | undefined }

/** Throws an error that says what is wrong with the command line. */
export async function readCommand(args: readonly string[], env: Environment): Promise<SeedCommand> {
  const text = { type: 'string' } as const
  const { values } = readFlags({
    args: [...args],
    options: { url: text, 'token-file': text, 'data-dir': text, out: text, rotate: { type: 'boolean' } },
  })
  const { rotate = false, url: given, 'token-file': file, 'data-dir': dataDir, out } = values
  if (rotate) {
    if (given !== undefined || file !== undefined) {
      throw new UsageError('--rotate works on the data itself, without --url and --token-file')
    }
    return { kind: 'rotate', env: dataDir === undefined ? env : { ...env, DATA_DIR: dataDir }, out }
  }
  if (dataDir !== undefined) throw new UsageError('--data-dir goes with --rotate')
  const url = readAddress(given, env)
  const token = file === undefined && !env.SVC_TOKEN ? null : await readToken(file, env)
  return { kind: 'ask', url, token, out }
}
