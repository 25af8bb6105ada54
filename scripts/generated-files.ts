import { printSchema } from 'graphql'
import { readConfig } from '../src/config.ts'
import { schema } from '../src/graphql/schema.ts'
import { openapi } from '../src/http/rest/openapi.ts'
import { routes } from '../src/http/rest/route.ts'
import { shapes } from '../src/operations/operation.ts'
import { version } from '../src/version.ts'
import { envExample, environmentReference } from './settings-reference.ts'

/** The committed files that are generated from the code: file name -> content. A test fails if one is out of date. */
export function generatedFiles(): Map<string, string> {
  const { brand } = readConfig({})
  return new Map([
    ['schema.graphql', `${printSchema(schema)}\n`],
    ['openapi.json', `${JSON.stringify(openapi(routes, { schema, shapes }, { version, brand }), null, 2)}\n`],
    ['.env.example', envExample()],
    ['deploy/ENVIRONMENT.md', environmentReference()],
  ])
}
