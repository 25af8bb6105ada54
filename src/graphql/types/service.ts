import { usageSteps } from '../../domain/stats/series-input.ts'
import { builder } from '../builder/builder.ts'
import { runs, runsOpenly } from '../builder/root-fields.ts'
import {
  boolean,
  enumType,
  float,
  int,
  json,
  list,
  nullable,
  objectType,
  of,
  safeInt,
  string,
  strings,
} from '../builder/types.ts'
import { PermissionEnum, PlaneEnum } from './common.ts'

const BindingsRef = objectType('Bindings', 'The engines in use; ` (down)` is appended while one is unreachable.', {
  catalog: string('The source of truth.'),
  vectorIndex: strings('One name per plane.'),
  objectStore: string('Raw sources.'),
  keyValue: string('Shared short-lived state.'),
  inference: boolean('Whether embedding works.'),
})

const ServiceLoadRef = objectType(
  'ServiceLoad',
  'What the process that answers holds and has waiting, of all namespaces together.',
  {
    memoryBytes: safeInt('Its memory, in bytes.'),
    indexing: int('Namespaces with changes that the indexes lack.'),
    auditRows: int('Rows of reads that are not in their log yet.'),
    statements: int('Statements that wait for a connection to the catalog.'),
  },
)

const HealthRef = objectType('Health', 'The state of the service.', {
  status: string('`ok` or `degraded`.'),
  service: string('The name of the service.'),
  version: string('Its version.'),
  time: string('ISO 8601.'),
  bindings: of(BindingsRef, 'The engines in use.'),
  auditAnchor: string(
    'Where copies of audit checkpoints are stored: `filesystem` or `s3`. While some are missing or it cannot be read, ` (behind)` is appended and the status is `degraded`.',
  ),
})

builder.objectField(HealthRef, 'load', (t) =>
  t.field({
    type: ServiceLoadRef,
    nullable: true,
    description: 'What the service has to do; null except for the super-admin.',
    resolve: (_, __, { domain, session }) => domain.loadFor(session),
  }),
)

runsOpenly('health', HealthRef, (_, { domain }) => domain.health())

/** `green`, `yellow` or `red`: a string, because the contract says so. */
const health =
  '`green`: nothing pending longer than 5 s; `yellow`: pending longer; `red`: the engine is unreachable, or has failed to take a pending change for 30 s.'

const PlaneStatsRef = objectType(
  'PlaneStats',
  'A plane of the whole namespace. It counts all Units, including those that the caller may not read.',
  {
    plane: of(PlaneEnum, 'The plane.'),
    model: string('The embedding model; `own` for vectors that callers send.'),
    dims: int("The model's dimensions."),
    metric: string('How vectors are compared.'),
    vectors: int('Live Units with a vector.'),
    indexed: int('Live Units that the indexes hold.'),
    lag: safeInt('Age of the oldest pending change, deletions included, in milliseconds.'),
    health: string(health),
  },
)

const StorageRef = objectType('Storage', 'What the namespace stores.', {
  objectStoreGb: float('Uploaded sources, in GB.'),
  catalogRows: int('Live Units.'),
  vectors: int('Live Units with a vector.'),
})

const CatalogStatsRef = objectType('CatalogStats', 'Statistics of a namespace.', {
  namespace: string('The namespace.'),
  scope: string('The requested scope.'),
  planes: list(PlaneStatsRef, 'Its planes.'),
  queriesPerDay: int('Searches in the last 24 hours.'),
  advice: nullable(string('What an operator can do for better results; null if nothing.')),
  storage: of(StorageRef, 'What it stores.'),
})

const ModelChangeRef = objectType(
  'ModelChange',
  "A running change of a plane's embedding model. It counts live Units.",
  {
    model: string('The model that searches use until the change is complete.'),
    target: string('The new model.'),
    done: int('Number of Units with a vector of the new model.'),
    left: int('Number of Units without one yet. They are part of `pending`.'),
  },
)

const PlaneFreshnessRef = objectType('PlaneFreshness', 'The index state of a plane.', {
  plane: of(PlaneEnum, 'The plane.'),
  indexed: int('Live Units that the indexes hold.'),
  pending: int(
    'Units with a change that an index lacks, including deletions, or without an embedding of the current model.',
  ),
  lag: safeInt('Age of the oldest pending change, deletions included, in milliseconds.'),
  health: string(health),
  modelChange: nullable(of(ModelChangeRef, 'The change of its embedding model; null when none is under way.')),
})

const CompactionStatusRef = objectType('CompactionStatus', 'Index freshness of a namespace.', {
  namespace: string('The namespace.'),
  planes: list(PlaneFreshnessRef, 'Its planes.'),
})

const CompactedPlaneRef = objectType('CompactedPlane', 'What a compaction pass did to a plane.', {
  plane: of(PlaneEnum, 'The plane.'),
  added: int('Units that an index lacked or held outdated.'),
  removed: int('Units that an index held although they no longer exist.'),
  unchanged: int('Units that were already right.'),
  tookMs: float('Milliseconds.'),
})

const CompactionResultRef = objectType('CompactionResult', 'A compaction pass.', {
  planes: list(CompactedPlaneRef, 'The planes reconciled.'),
  seq: safeInt("The namespace's seq."),
})

const ResetVectorsRef = objectType('ResetVectors', 'A plane whose own vectors were removed.', {
  plane: of(PlaneEnum, 'The plane.'),
  vectors: int('Live Units that had one.'),
  seq: safeInt("The namespace's seq after the write."),
})

enumType('UsageStep', 'How long a step of a series is.', usageSteps, {
  hour: 'An hour.',
  day: 'A day of UTC.',
})

const UnitsByPlaneRef = objectType('UnitsByPlane', 'Numbers of live Units.', {
  text: int('Of the plane `text`.'),
  visual: int('Of the plane `visual`.'),
  audio: int('Of the plane `audio`.'),
  docVisual: int('Of the plane `doc_visual`.'),
})

const UsagePointRef = objectType('UsagePoint', 'What a namespace did in an hour or a day.', {
  at: safeInt('When it begins, epoch milliseconds.'),
  searches: safeInt('Searches.'),
  answers: safeInt('Answers.'),
  ingested: safeInt('Units created or changed.'),
  deleted: safeInt('Units deleted.'),
  refused: safeInt('Requests of principals of this home that were refused, by their rights or the tier.'),
  p50Ms: nullable(
    float('Half of the searches and answers took about this number of milliseconds at most; null without any.'),
  ),
  p95Ms: nullable(float('The same for 95 of 100.')),
  units: nullable(
    of(
      UnitsByPlaneRef,
      'Live Units at the end of the step, or now; null for a time of which an older version noted nothing.',
    ),
  ),
  sourceBytes: nullable(safeInt('Bytes of uploaded sources at the same time; null for the same times.')),
})

const UsageSeriesRef = objectType('UsageSeries', 'What a namespace did over time.', {
  points: list(UsagePointRef, 'Every step of the range, in order.'),
})

runs('usageSeries', UsageSeriesRef, (input, services) => services.usageSeries(input))

runs('catalogStats', CatalogStatsRef, (_, services) => services.catalogStats())

runs('compaction', CompactionStatusRef, (_, services) => services.compaction.status())

runs('compact', CompactionResultRef, (input, services) => services.compaction.run(input))

runs('resetVectors', ResetVectorsRef, ({ plane }, services) => services.resetVectors(plane))

const SeededPrincipalRef = objectType('SeededPrincipal', 'A principal of the demo dataset.', {
  principalId: string('Its id.'),
  namespace: string('Its home namespace.'),
  tier: string("The namespace's tier."),
  scope: string('What its grant covers.'),
  perms: list(PermissionEnum, 'What its grant allows.'),
  groups: strings('Its groups.'),
  readOnly: boolean('Whether it may only read.'),
})

const SeedResultRef = objectType('SeedResult', 'The result of seeding.', {
  principals: list(SeededPrincipalRef, 'The demo principals.'),
  scopes: strings('The demo scopes.'),
  tokens: json('Their tokens, by name. They are shown only once.'),
  counts: json('Number of objects of each kind.'),
})

runsOpenly('seed', SeedResultRef, (_, { domain, session, requestId, pageProblem }) => {
  if (pageProblem) throw pageProblem
  return domain.seed(session, requestId)
})
