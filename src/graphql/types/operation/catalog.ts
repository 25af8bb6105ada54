import type { CompactedPlane, CompactionStatus } from '../../../domain/indexing/compaction.ts'
import { compactionInput } from '../../../domain/indexing/compaction-input.ts'
import type { ModelProgress, PlaneFreshness } from '../../../domain/indexing/freshness.ts'
import type { CatalogStats, PlaneStats } from '../../../domain/stats/catalog-stats.ts'
import { builder, checkedInput } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { PlaneEnum } from '../common/enums.ts'

/** `green`, `yellow` or `red`: a string, because the contract says so. */
const health = '`green`: nothing pending longer than 5 s; `yellow`: pending longer; `red`: the engine is unreachable.'

const PlaneStatsRef = builder.objectRef<PlaneStats>('PlaneStats').implement({
  description: 'A plane of the whole namespace; counts are of Units, whatever the caller may read.',
  fields: (t) => ({
    plane: t.expose('plane', { type: PlaneEnum, description: 'The plane.' }),
    model: t.exposeString('model', { description: "The embedding model; `own` for callers' own vectors." }),
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
  description: "A change of a plane's embedding model that is under way; counts are of live Units.",
  fields: (t) => ({
    model: t.exposeString('model', { description: 'The model that searches use until it is done.' }),
    target: t.exposeString('target', { description: 'The model that its Units are embedded by anew.' }),
    done: t.exposeInt('done', { description: 'Units with a vector of that model.' }),
    left: t.exposeInt('left', { description: 'Units still to be embedded anew; among the pending ones too.' }),
  }),
})

const PlaneFreshnessRef = builder.objectRef<PlaneFreshness>('PlaneFreshness').implement({
  description: 'How far the indexes of a plane are.',
  fields: (t) => ({
    plane: t.expose('plane', { type: PlaneEnum, description: 'The plane.' }),
    indexed: t.exposeInt('indexed', { description: 'Live Units that the indexes hold.' }),
    pending: t.exposeInt('pending', {
      description: 'Units with a change that some index lacks, deletions included, or still to be embedded again.',
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
    removed: t.exposeInt('removed', { description: 'Units that an index held though they are gone.' }),
    unchanged: t.exposeInt('unchanged', { description: 'Units that needed nothing.' }),
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

const CompactInput = builder.inputType('CompactInput', {
  description: 'What to reconcile.',
  fields: (t) => ({ planes: t.field({ type: [PlaneEnum], description: 'All when it is left out.' }) }),
})

builder.queryFields((t) => ({
  catalogStats: t.field({
    type: CatalogStatsRef,
    description: 'Statistics of the whole namespace.',
    resolve: (_, __, context) => servicesOf(context).catalogStats(),
  }),
  compaction: t.field({
    type: CompactionStatusRef,
    description: 'Index freshness. Needs `read`.',
    resolve: (_, __, context) => servicesOf(context).compaction.status(),
  }),
}))

builder.mutationField('compact', (t) =>
  t.field({
    type: CompactionResultRef,
    description: 'Reconciles the indexes with the catalog, both ways. Needs an admin principal.',
    args: { input: t.arg({ type: CompactInput, description: 'What to reconcile.' }) },
    ...checkedInput(compactionInput.prefault({}), (input, context) => servicesOf(context).compaction.run(input)),
  }),
)
