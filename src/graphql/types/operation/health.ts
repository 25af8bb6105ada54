import type { Health } from '../../../domain/health.ts'
import { runsOpenly } from '../../builder/root-fields.ts'
import { boolean, objectType, of, string, strings } from '../../builder/types.ts'

const BindingsRef = objectType<Health['bindings']>(
  'Bindings',
  'The engines in use; ` (down)` is appended while one is unreachable.',
  {
    catalog: string('The source of truth.'),
    vectorIndex: strings('One name per plane.'),
    objectStore: string('Raw sources.'),
    keyValue: string('Shared short-lived state.'),
    inference: boolean('Whether embedding works.'),
  },
)

const HealthRef = objectType<Health>('Health', 'The state of the service.', {
  status: string('`ok` or `degraded`.'),
  service: string('The name of the service.'),
  version: string('Its version.'),
  time: string('ISO 8601.'),
  bindings: of(BindingsRef, 'The engines in use.'),
  auditAnchor: string(
    'Where copies of audit checkpoints are stored: `filesystem` or `s3`. While some are missing or it cannot be read, ` (behind)` is appended and the status is `degraded`.',
  ),
})

runsOpenly('health', HealthRef, (_, { domain }) => domain.health())
