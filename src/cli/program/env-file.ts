import { readFileSync } from 'node:fs'
import { OperatorError } from '../../model/operator-error.ts'

type Environment = Record<string, string | undefined>

/** Adds the settings of `file`, by default of `.env` if it exists. Settings that are already set win. */
export function loadEnvFile(file: string | undefined, env: Environment): void {
  const name = file ?? '.env'
  const text = readText(name)
  if (text === null && file !== undefined) throw new OperatorError(`--env-file: there is no file ${name}`)
  for (const [key, value] of parseEnvFile(text ?? '', name)) if (!(key in env)) env[key] = value
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return null
    throw new OperatorError(`cannot read ${file}: ${error instanceof Error ? error.message : error}`)
  }
}

const assignment = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/
const quoted = /^(['"`])([\s\S]*?)\1\s*(?:#.*)?$/

/**
 * `NAME=value` lines, with comments after `#`. A value in quotes may contain anything, including line breaks. Throws
 * with the numbers of all invalid lines, and no part of their content.
 */
function parseEnvFile(text: string, name: string): Map<string, string> {
  const lines = text.split(/\r?\n/)
  const settings = new Map<string, string>()
  const problems: string[] = []
  for (let i = 0; i < lines.length; i += 1) {
    const [line = '', at] = [lines[i], i + 1]
    if (/^\s*(#|$)/.test(line)) continue
    const [, key, begun = ''] = assignment.exec(line) ?? []
    const last = /^['"`]/.test(begun) ? closingLine(lines, i, begun) : i
    const value = last === null ? null : readValue([begun, ...lines.slice(i + 1, last + 1)].join('\n'))
    if (key === undefined || value === null) problems.push(`${name}, line ${at}: is not a setting; write NAME=value`)
    else settings.set(key, value)
    i = last ?? i
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
  return settings
}

/** The line where the quote at the start of a value ends; null when none does. */
function closingLine(lines: readonly string[], first: number, begun: string): number | null {
  let value = begun
  for (let i = first; i < lines.length; i += 1) {
    if (i > first) value += `\n${lines[i]}`
    if (quoted.test(value)) return i
  }
  return null
}

function readValue(text: string): string | null {
  if (!/^['"`]/.test(text)) return text.replace(/(^|\s)#.*$/, '').trimEnd()
  const [, mark, inner] = quoted.exec(text) ?? []
  if (inner === undefined) return null
  return mark === '"' ? inner.replaceAll('\\n', '\n') : inner
}
