import { printSchema } from 'graphql'
import { readConfig } from '../src/config.ts'
import { schema } from '../src/graphql/schema.ts'
import { openapi } from '../src/http/rest/openapi.ts'
import { routes } from '../src/http/rest/route.ts'
import { shapes } from '../src/operations/operation.ts'
import { version } from '../src/version.ts'
import { clientOperations } from './client-operations.ts'
import { pythonModels } from './python-models.ts'
import { envExample, environmentReference } from './settings-reference.ts'

/** The committed files that are generated from the code: file name -> content. A test fails if one is out of date. */
export function generatedFiles(): Map<string, string> {
  const { brand } = readConfig({})
  const described = openapi(routes, { schema, shapes }, { version, brand })
  const offered = clientOperations(described)
  const documents = Object.entries(offered.documents)
  return new Map([
    ['schema.graphql', `${printSchema(schema)}\n`],
    ['openapi.json', `${JSON.stringify(described, null, 2)}\n`],
    [
      'clients/typescript/src/documents.ts',
      `/** Made by \`npm run schema\` of the service. */\nexport const documents = {\n${documents.map(([name, text]) => `  ${name}: '${text}',\n`).join('')}}\n`,
    ],
    [
      'clients/python/src/multimodal_retrieval/_documents.py',
      `"""Made by \`npm run schema\` of the service."""\n\ndocuments = {\n${documents.map(([name, text]) => `    "${name}": "${text}",\n`).join('')}}\n`,
    ],
    ['clients/python/src/multimodal_retrieval/models.py', pythonModels(offered.openapi, ['AnswerSentence'])],
    ['.env.example', envExample()],
    ['deploy/ENVIRONMENT.md', environmentReference()],
  ])
}
