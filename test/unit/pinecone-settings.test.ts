import { describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { configProblem } from '../support/texts/config-problem.ts'

const key = { PINECONE_API_KEY: 'pcsk_secret' }

describe('where vectors are searched', () => {
  it('is this process unless there is a key for Pinecone', () => {
    expect(readConfig({}).vectorIndex).toEqual({ kind: 'embedded' })
    expect(readConfig({ ...key, BRAND: 'acme' }).vectorIndex).toEqual({
      kind: 'pinecone',
      apiKey: 'pcsk_secret',
      host: null,
      prefix: 'acme',
      cloud: 'aws',
      region: 'us-east-1',
    })
  })

  it('can be chosen, where the key is there for inference alone', () => {
    expect(readConfig({ ...key, VECTOR_INDEX: 'embedded' }).vectorIndex).toEqual({ kind: 'embedded' })
    const given = { PINECONE_INDEX_PREFIX: 'a-b', PINECONE_CLOUD: 'gcp', PINECONE_REGION: 'europe-west4' }
    const elsewhere = { PINECONE_CONTROLLER_HOST: 'http://127.0.0.1:1/' }
    expect(readConfig({ ...key, VECTOR_INDEX: 'pinecone', ...given, ...elsewhere }).vectorIndex).toEqual({
      kind: 'pinecone',
      apiKey: 'pcsk_secret',
      host: 'http://127.0.0.1:1',
      prefix: 'a-b',
      cloud: 'gcp',
      region: 'europe-west4',
    })
  })

  it('refuses what makes no sense, and shows no key', () => {
    expect(configProblem({ VECTOR_INDEX: 'pinecone' })).toContain('PINECONE_API_KEY: is needed with VECTOR_INDEX')
    for (const prefix of ['-a', 'a-', 'A', 'a_b', 'a'.repeat(29), 'ä']) {
      expect(configProblem({ ...key, PINECONE_INDEX_PREFIX: prefix })).toContain('PINECONE_INDEX_PREFIX: must be')
    }
    expect(configProblem({ ...key, PINECONE_CLOUD: 'here' })).toContain('PINECONE_CLOUD')
    expect(configProblem({ ...key, VECTOR_INDEX: 'elsewhere' })).not.toContain('pcsk')
  })
})
