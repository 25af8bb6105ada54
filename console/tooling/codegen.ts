import { readdirSync } from 'node:fs'
import type { CodegenConfig } from '@graphql-codegen/cli'

/** Every folder with documents gets types of its own: a page loads only what it asks. */
const folders = readdirSync('../src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.graphql'))
  .map((path) => `../src/${path.replace(/\/[^/]+$/, '')}`)

const config: CodegenConfig = {
  schema: '../../schema.graphql',
  generates: Object.fromEntries(
    [...new Set(folders)].sort().map((folder) => [
      `${folder}/generated/`,
      {
        documents: `${folder}/*.graphql`,
        preset: 'client',
        presetConfig: {
          fragmentMasking: false,
          persistedDocuments: { hashAlgorithm: 'sha256' },
        },
        config: {
          documentMode: 'string',
          useTypeImports: true,
          enumsAsTypes: true,
          scalars: {
            SafeInt: 'number',
            JSON: 'unknown',
            Metadata: 'Record<string, unknown>',
            Time: 'number | string',
          },
          defaultScalarType: 'unknown',
          strictScalars: false,
        },
      },
    ]),
  ),
}

export default config
