import { callOf, type Environment } from '../program/command.ts'
import { readAddress } from '../program/service.ts'

/** What someone who has started an empty service types next; lines for the terminal. */
export function nextSteps(url: string, env: Environment): string[] {
  const steps = [
    ...(url === readAddress(undefined, {}) ? [] : [[`export SVC_URL=${url}`]]),
    [callOf('seed', env), 'demo data and its keys'],
    ['export SVC_TOKEN=svc_sk_…', 'one of these keys'],
    [callOf('search', env, "'pier 4'"), 'text, pictures, sound, pages'],
    [callOf('ask', env, "'Why did the battery pack overheat at pier 4?'")],
    [callOf('ingest', env, 'FOLDER --scope SCOPE'), 'your own files'],
    [callOf('search', env, '--help'), 'docs/README.md has more'],
  ]
  const width = Math.max(...steps.flatMap(([line = '', what]) => (what === undefined ? [] : line.length)))
  const lines = steps.map(([line = '', what = '']) => `  ${line.padEnd(width)}  ${what}`.trimEnd())
  return ['', 'Next, in another terminal:', ...lines]
}
