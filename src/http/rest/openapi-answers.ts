import { readFileSync } from 'node:fs'
import { pathTemplate, type Route } from './route.ts'

/** Recorded by the test that sends the requests. */
const file = new URL('openapi-answers.json', import.meta.url)

let recorded: Readonly<Record<string, object>> | undefined

/** An answer of the route, as the service gave it; undefined if none was recorded. */
export function exampleAnswerOf({ method, path }: Route): object | undefined {
  recorded ??= JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>
  return recorded[`${method} ${pathTemplate(path)}`]
}
