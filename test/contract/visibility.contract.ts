import { describe, expect, it } from 'vitest'
import type { IndexClause, IndexedUnit, IndexFilter, UnitIndex } from '../../src/ports/indexes/index-filter.ts'
import { filterFor, indexedUnit, namespaceId, openScope, put } from './index-fixtures.ts'
import { metadataContract } from './metadata.contract.ts'
import type { IndexUnderTest } from './unit-index.contract.ts'

/** The same Units in another scope. */
const under = (scopeId: string, units: Record<string, Partial<IndexedUnit>>) =>
  Object.fromEntries(Object.entries(units).map(([unitId, unit]) => [`${scopeId} ${unitId}`, { ...unit, scopeId }]))

/** The contract of both index ports for visibility. */
export function visibilityContract<I extends UnitIndex>({ create, searchAll }: IndexUnderTest<I>): void {
  async function visible(units: Record<string, Partial<IndexedUnit>>, filter: IndexFilter): Promise<string[]> {
    const index = await create()
    const changes = Object.entries(units).map(([unitId, changed], i) => put(indexedUnit(unitId, i + 1, changed)))
    await index.feed.apply(namespaceId, changes, changes.length)
    return (await searchAll(index, filter)).map((candidate) => candidate.unitId).sort()
  }

  describe('scope and plane', () => {
    const units: Record<string, Partial<IndexedUnit>> = {
      open: {},
      closed: { scopeId: 'scope_closed' },
      audio: { plane: 'audio' },
    }

    it('sees only scopes that are open in the plane', async () => {
      expect(await visible(units, filterFor())).toEqual(['open'])
      expect(await visible(units, filterFor({ scopeIds: new Map([['text', []]]) }))).toEqual([])
      expect(await visible(units, filterFor({ scopeIds: new Map() }))).toEqual([])
      const elsewhere: IndexClause['scopeIds'] = new Map([
        ['text', ['scope_closed']],
        ['audio', [openScope]],
      ])
      expect(
        await visible({ open: {}, closed: { scopeId: 'scope_closed' } }, filterFor({ scopeIds: elsewhere })),
      ).toEqual(['closed'])
    })
  })

  describe('access control', () => {
    const units: Record<string, Partial<IndexedUnit>> = {
      mine: { acl: { owner: 'me', groups: [] } },
      everyone: { acl: { owner: 'you', groups: ['*'] } },
      shared: { acl: { owner: 'you', groups: ['ops', 'eng'] } },
      theirs: { acl: { owner: 'you', groups: ['ops'] } },
      private: { acl: { owner: 'you', groups: [] } },
      'group named as the reader': { acl: { owner: 'you', groups: ['me'] } },
      'owner named as the group': { acl: { owner: 'eng', groups: [] } },
    }

    it('sees own Units, those of the reader’s groups, and those open to everyone', async () => {
      expect(await visible(units, filterFor())).toEqual(['everyone', 'mine', 'shared'])
    })

    it('takes a group named * for no more than a name', async () => {
      const reader = { principalId: 'nobody', groups: ['*'] }
      expect(await visible(units, filterFor({ reader }))).toEqual(['everyone'])
    })

    it('sees each scope through the groups that count there', async () => {
      const other = 'scope_other'
      const inBoth = { ...units, ...under(other, units) }
      const clause = (scope: string, groups: string[]): IndexClause => ({
        reader: { principalId: 'me', groups },
        scopeIds: new Map([['text', [scope]]]),
      })
      const clauses = [clause(openScope, ['eng']), clause(other, ['ops'])]
      const seen = [
        'everyone',
        'mine',
        'shared',
        ...['everyone', 'mine', 'shared', 'theirs'].map((id) => `${other} ${id}`),
      ]
      expect(await visible(inBoth, filterFor({ clauses }))).toEqual(seen.sort())
      expect(await visible(inBoth, filterFor({ clauses: [clause(other, [])] }))).toEqual([
        `${other} everyone`,
        `${other} mine`,
      ])
      expect(await visible(inBoth, filterFor({ clauses: [] }))).toEqual([])
    })

    it('hides nothing from an unlimited reader, who is bound to the scopes all the same', async () => {
      const withClosed = { ...units, closed: { scopeId: 'scope_closed' } }
      expect(await visible(withClosed, filterFor({ reader: 'unlimited' }))).toEqual(Object.keys(units).sort())
    })
  })

  describe('search filters', () => {
    const hit: Partial<IndexedUnit> = {
      modality: 'caption',
      docId: 'd1',
      externalId: 'e1',
      sourceUri: 's1',
      mime: 'text/html',
      acl: { owner: 'ann', groups: ['*'] },
      createdAt: 500,
      locator: { kind: 'time_range', tStartMs: 1000, tEndMs: 2000 },
      metadata: { lang: 'en', pages: 3, draft: false, tags: ['x', 'y'] },
    }
    const miss: Partial<IndexedUnit> = { metadata: { lang: 'de', pages: 30, draft: true, tags: ['z'] } }
    const cases: Record<string, object> = {
      modality: { modality: ['image', 'caption'] },
      docId: { docId: ['d1'] },
      externalId: { externalId: ['e1', 'e2'] },
      sourceUri: { sourceUri: ['s1'] },
      mime: { mime: ['text/html'] },
      aclOwner: { aclOwner: ['ann'] },
      'createdAfter and createdBefore, inclusive': { createdAfter: 500, createdBefore: 500 },
      'metadata, a string': { metadata: { lang: 'en' } },
      'metadata, a number': { metadata: { pages: 3 } },
      'metadata, a boolean': { metadata: { draft: false } },
      'metadata, one of several': { metadata: { lang: ['en', 'fr'] } },
      'metadata, a range': { metadata: { pages: { gte: 3, lte: 4 } } },
      'metadata, within a list': { metadata: { tags: 'y' } },
      'timeRange, overlapping': { timeRange: { tStartMs: 2000, tEndMs: 9000 } },
      'several at once': { docId: ['d1'], modality: ['caption'], metadata: { lang: 'en', pages: { lte: 3 } } },
    }

    for (const [name, filters] of Object.entries(cases)) {
      it(`keeps to ${name}`, async () => {
        expect(await visible({ hit, miss }, filterFor({ filters }))).toEqual(['hit'])
      })
    }

    it('finds nothing by a key that no Unit has', async () => {
      expect(await visible({ hit, miss }, filterFor({ filters: { metadata: { constructor: 'en' } } }))).toEqual([])
      expect(await visible({ hit, miss }, filterFor({ filters: { docId: ['d1'], mime: ['image/png'] } }))).toEqual([])
    })
  })

  metadataContract({ create, searchAll })
}
