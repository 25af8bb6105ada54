import { TextScratch } from '../../../src/adapters/index-embedded/search/rank-text.ts'
import { searchText, searchVectors } from '../../../src/adapters/index-embedded/search/search.ts'
import { changeReaders, putUnit, removeUnit } from '../../../src/adapters/index-embedded/shard/put-unit.ts'
import { Shard } from '../../../src/adapters/index-embedded/shard/shard.ts'
import { VisibleCache } from '../../../src/adapters/index-embedded/shard/visible.ts'
import { planes } from '../../../src/model/unit.ts'
import type { IndexChange, IndexClause, IndexedUnit } from '../../../src/ports/indexes/index-filter.ts'
import { type FilterChanges, filterFor, indexedUnit, openScope, put } from '../../contract/index-fixtures.ts'

export function take(shard: Shard, changes: readonly IndexChange[]): Shard {
  for (const change of changes) {
    if (change.kind === 'put') putUnit(shard, change.unit)
    else if (change.kind === 'readers') changeReaders(shard, [change])
    else removeUnit(shard, change.unitId, change.seq)
  }
  return shard
}

export const shardOf = (units: readonly IndexedUnit[]): Shard => take(new Shard(), units.map(put))

/** A value in every column: planes, models, lists, times, missing values, paragraphs. */
export function variedUnits(): IndexedUnit[] {
  const vector = (model: string, ...values: number[]) => ({ model, values: Float32Array.from(values) })
  return [
    indexedUnit('plain', 1, { text: 'the ferry left the harbour\n \nin a storm', docId: 'doc-1', mime: 'text/plain' }),
    indexedUnit('image', 2, { plane: 'visual', modality: 'image', text: null, sourceUri: 's3://image', createdAt: 7 }),
    indexedUnit('spoken', 3, {
      plane: 'audio',
      modality: 'audio_utterance',
      text: 'harbour master speaking of ferries',
      locator: { kind: 'time_range', tStartMs: 1000, tEndMs: 2000 },
      vector: vector('other', 1, 2, 3, 4, 5),
    }),
    indexedUnit('mine', 4, { acl: { owner: 'me', groups: [] }, text: 'ferries and harbours', externalId: 'ext-1' }),
    indexedUnit('theirs', 5, { acl: { owner: 'you', groups: ['ops'] }, text: 'a hidden ferry' }),
    indexedUnit('tagged', 6, { metadata: { tags: ['wet', 'cold'], depth: 12.5, draft: true }, text: '東京 ferry' }),
    indexedUnit('nearby', 7, { vector: vector('m', 0.5, -0.25, 3, 0), scopeId: 'scope_other', text: 'storm warning' }),
    indexedUnit('bare', 8, { text: null, vector: null }),
    indexedUnit('long', 9, {
      vector: { model: 'm', values: Float32Array.of(0, 1, 0, 0, 0, 0, -1, 2), count: 2 },
      otherVector: { model: 'other', values: Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0, 1), count: 2 },
    }),
    indexedUnit('changing', 10, { vector: vector('m', 1, 1, 3, 0), otherVector: vector('other', 9, 1, 0, 2, 1) }),
  ]
}

const everywhere: IndexClause['scopeIds'] = new Map(planes.map((plane) => [plane, [openScope, 'scope_other']]))
const filters: FilterChanges[] = [
  {},
  { reader: 'unlimited' },
  { filters: { docId: ['doc-1'], mime: ['text/plain'] } },
  { filters: { externalId: ['ext-1'], aclOwner: ['me'] } },
  { filters: { sourceUri: ['s3://image'], createdBefore: 10 } },
  { filters: { timeRange: { tStartMs: 1500, tEndMs: 1600 } } },
  { filters: { metadata: { tags: 'cold', depth: { gte: 12, lte: 13 }, draft: true } } },
]
const texts = ['ferry harbour', 'storm', 'the', 'harbr', '東京', ' ', 'master of ferries in a storm']
const queries = [
  { model: 'm', values: [1, 0.5, -1, 0] },
  { model: 'other', values: [5, 4, 3, 2, 1] },
]

/** All observable contents of a shard: every search under every filter, and its manifests. */
export function answersOf(shard: Shard) {
  const scratch = { thread: 0, text: new TextScratch(), visible: new VisibleCache() }
  const asked = filters.map((filter) => filterFor({ scopeIds: everywhere, ...filter }))
  // A shard that is read again has another id, and one that is compacted has its Units at other places.
  const seen = <T extends { shardId: string; units: unknown }>({ shardId: _, units: __, ...found }: T) => found
  return {
    texts: asked.map((filter) =>
      texts.map((text) => seen(searchText(shard, { text, topK: 20 }, filter, 50, scratch).found(null))),
    ),
    vectors: asked.map((filter) =>
      planes.map((plane) =>
        queries.map(({ model, values }) =>
          seen(
            searchVectors(shard, { plane, model, vector: Float32Array.from(values) }, filter, 50, scratch).found(null),
          ),
        ),
      ),
    ),
    manifests: planes.map((_, plane) => shard.manifest(plane)),
  }
}
