import type { ResetVectors } from '../../../domain/embedding/reset-vectors.ts'
import type { CompactedPlane, CompactionStatus } from '../../../domain/indexing/compaction.ts'
import type { ModelProgress, PlaneFreshness } from '../../../domain/indexing/freshness.ts'
import type { CatalogStats, PlaneStats } from '../../../domain/stats/catalog-stats.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { PlaneEnum } from '../common/enums.ts'

/** `green`, `yellow` or `red`: a string, because the contract says so. */
const health =
  '`green`: nothing pending longer than 5 s; `yellow`: pending longer; `red`: the engine is unreachable, or has failed to take a pending change for 30 s.'

const PlaneStatsRef = builder.objectRef<PlaneStats>('PlaneStats').implement({
  description: 'A plane of the whole namespace. It counts all Units, including those that the caller may not read.',
  fields: (t) => ({
    plane: t.expose('plane', { type: PlaneEnum, description: 'The plane.' }),
    model: t.exposeString('model', { description: 'The embedding model; `own` for vectors that callers send.' }),
    dims: t.exposeInt('dims', { description: "The model's dimensions." }),
    metric: t.exposeString('metric', { description: 'How vectors are compared.' }),
    vectors: t.exposeInt('vectors', { description: 'Live Units with a vector.' }),
    indexed: t.exposeInt('indexed', { description: 'Live Units that the indexes hold.' }),
    lag: t.expose('lag', {
      type: 'SafeInt',
      description: 'Age of the oldest pending change, deletions included, in milliseconds.',
    }),
    health: t.exposeString('health', { description: health }),
  }),
})

const StorageRef = builder.objectRef<CatalogStats['storage']>('Storage').implement({
  description: 'What the namespace stores.',
  fields: (t) => ({
    objectStoreGb: t.exposeFloat('objectStoreGb', { description: 'Uploaded sources, in GB.' }),
    catalogRows: t.exposeInt('catalogRows', { description: 'Live Units.' }),
    vectors: t.exposeInt('vectors', { description: 'Live Units with a vector.' }),
  }),
})

const CatalogStatsRef = builder.objectRef<CatalogStats>('CatalogStats').implement({
  description: 'Statistics of a namespace.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    scope: t.exposeString('scope', { description: 'The requested scope.' }),
    planes: t.expose('planes', { type: [PlaneStatsRef], description: 'Its planes.' }),
    queriesPerDay: t.exposeInt('queriesPerDay', { description: 'Searches in the last 24 hours.' }),
    storage: t.expose('storage', { type: StorageRef, description: 'What it stores.' }),
  }),
})

const ModelChangeRef = builder.objectRef<ModelProgress>('ModelChange').implement({
  description: "A running change of a plane's embedding model. It counts live Units.",
  fields: (t) => ({
    model: t.exposeString('model', { description: 'The model that searches use until the change is complete.' }),
    target: t.exposeString('target', { description: 'The new model.' }),
    done: t.exposeInt('done', { description: 'Number of Units with a vector of the new model.' }),
    left: t.exposeInt('left', { description: 'Number of Units without one yet. They are part of `pending`.' }),
  }),
})

const PlaneFreshnessRef = builder.objectRef<PlaneFreshness>('PlaneFreshness').implement({
  description: 'The index state of a plane.',
  fields: (t) => ({
    plane: t.expose('plane', { type: PlaneEnum, description: 'The plane.' }),
    indexed: t.exposeInt('indexed', { description: 'Live Units that the indexes hold.' }),
    pending: t.exposeInt('pending', {
      description:
        'Units with a change that an index lacks, including deletions, or without an embedding of the current model.',
    }),
    lag: t.expose('lag', {
      type: 'SafeInt',
      description: 'Age of the oldest pending change, deletions included, in milliseconds.',
    }),
    health: t.exposeString('health', { description: health }),
    modelChange: t.expose('modelChange', {
      type: ModelChangeRef,
      nullable: true,
      description: 'The change of its embedding model; null when none is under way.',
    }),
  }),
})

const CompactionStatusRef = builder.objectRef<CompactionStatus>('CompactionStatus').implement({
  description: 'Index freshness of a namespace.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    planes: t.expose('planes', { type: [PlaneFreshnessRef], description: 'Its planes.' }),
  }),
})

const CompactedPlaneRef = builder.objectRef<CompactedPlane>('CompactedPlane').implement({
  description: 'What a compaction pass did to a plane.',
  fields: (t) => ({
    plane: t.expose('plane', { type: PlaneEnum, description: 'The plane.' }),
    added: t.exposeInt('added', { description: 'Units that an index lacked or held outdated.' }),
    removed: t.exposeInt('removed', { description: 'Units that an index held although they no longer exist.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Units that were already right.' }),
    tookMs: t.exposeFloat('tookMs', { description: 'Milliseconds.' }),
  }),
})

const CompactionResultRef = builder.objectRef<{ planes: CompactedPlane[]; seq: number }>('CompactionResult').implement({
  description: 'A compaction pass.',
  fields: (t) => ({
    planes: t.expose('planes', { type: [CompactedPlaneRef], description: 'The planes reconciled.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's seq." }),
  }),
})

const ResetVectorsRef = builder.objectRef<ResetVectors>('ResetVectors').implement({
  description: 'A plane whose own vectors were removed.',
  fields: (t) => ({
    plane: t.expose('plane', { type: PlaneEnum, description: 'The plane.' }),
    vectors: t.exposeInt('vectors', { description: 'Live Units that had one.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: "The namespace's seq after the write." }),
  }),
})

builder.queryFields((t) => ({
  catalogStats: t.field({
    type: CatalogStatsRef,
    ...runs('catalogStats', (_, services) => services.catalogStats()),
  }),
  compaction: t.field({
    type: CompactionStatusRef,
    ...runs('compaction', (_, services) => services.compaction.status()),
  }),
}))

builder.mutationField('compact', (t) =>
  t.field({
    type: CompactionResultRef,
    ...runs('compact', (input, services) => services.compaction.run(input)),
  }),
)

builder.mutationField('resetVectors', (t) =>
  t.field({
    type: ResetVectorsRef,
    ...runs('resetVectors', ({ plane }, services) => services.resetVectors(plane)),
  }),
)
