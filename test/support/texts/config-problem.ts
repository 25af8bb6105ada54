import { readConfig } from '../../../src/config.ts'
import { ConfigError } from '../../../src/settings/read-settings.ts'

/** The configuration error for an environment; `none` if it is valid. */
export function configProblem(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'none'
}
