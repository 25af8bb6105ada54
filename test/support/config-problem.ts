import { readConfig } from '../../src/config.ts'
import { ConfigError } from '../../src/settings/read-settings.ts'

/** What the configuration says is wrong with an environment; `none` when it takes it. */
export function configProblem(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'none'
}
