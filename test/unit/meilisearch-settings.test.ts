import { describe, expect, it } from 'vitest'
import { differingSettings, wantedSettings } from '../../src/adapters/index-meilisearch/setup.ts'
import { readConfig } from '../../src/config.ts'
import { LocalIndex } from '../support/meilisearch/local-index.ts'
import { configProblem } from '../support/texts/config-problem.ts'

const server = { MEILI_URL: 'http://127.0.0.1:7700', MEILI_KEY: 'a-key' }

describe('the settings of Meilisearch', () => {
  it('leave texts in the embedded index unless there is an address', () => {
    expect(readConfig({}).textIndex).toEqual({ kind: 'embedded' })
  })

  it('name an index after the brand', () => {
    const given = { kind: 'meilisearch', url: 'http://127.0.0.1:7700', key: 'a-key' }
    expect(readConfig(server).textIndex).toEqual({ ...given, index: 'svc_units' })
    expect(readConfig({ ...server, BRAND: 'acme' }).textIndex).toEqual({ ...given, index: 'acme_units' })
    expect(readConfig({ ...server, MEILI_INDEX: 'Texts-1' }).textIndex).toEqual({ ...given, index: 'Texts-1' })
  })

  it('are refused where they make no sense, without showing the key', () => {
    expect(configProblem({ MEILI_URL: server.MEILI_URL })).toMatch('MEILI_KEY: is needed with MEILI_URL')
    expect(configProblem({ MEILI_KEY: 'secret' })).toMatch('MEILI_URL: is needed with MEILI_KEY')
    expect(configProblem({ MEILI_KEY: 'secret' })).not.toMatch('secret')
    expect(configProblem({ ...server, MEILI_URL: 'ftp://x' })).toMatch('MEILI_URL')
    expect(configProblem({ ...server, MEILI_URL: 'http://me:secret@x' })).toMatch('MEILI_URL: must hold no credentials')
    expect(configProblem({ ...server, MEILI_INDEX: 'a b' })).toMatch('MEILI_INDEX: must be')
  })
})

describe('the settings of the index', () => {
  it('are all sent to one that is new, and none to one that has them, in whatever order', () => {
    const index = new LocalIndex('units', 'id', '')
    expect(Object.keys(differingSettings(index.settings) ?? {})).toEqual(
      expect.arrayContaining(['searchableAttributes', 'rankingRules', 'typoTolerance', 'pagination']),
    )
    index.configure(wantedSettings)
    expect(differingSettings(index.settings)).toBeNull()
    index.configure({ filterableAttributes: wantedSettings.filterableAttributes.toReversed() })
    expect(differingSettings(index.settings)).toBeNull()
  })

  it.each([
    ['rankingRules', ['sort', 'words']],
    ['searchableAttributes', ['*']],
    ['filterableAttributes', wantedSettings.filterableAttributes.slice(1)],
    ['stopWords', ['the']],
    ['synonyms', { a: ['b'] }],
    ['typoTolerance', { enabled: true }],
    ['pagination', { maxTotalHits: 10 }],
    ['distinctAttribute', 'doc'],
    ['prefixSearch', 'indexingTime'],
  ])('are sent again when %s is another', (name, value) => {
    const index = new LocalIndex('units', 'id', '')
    index.configure({ ...wantedSettings, [name]: value })
    expect(Object.keys(differingSettings(index.settings) ?? {})).toEqual([name])
  })
})
