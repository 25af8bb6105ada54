import type { Health } from '../../../domain/health.ts'
import { builder } from '../../builder/builder.ts'
import { runsOpenly } from '../../builder/root-fields.ts'

const BindingsRef = builder.objectRef<Health['bindings']>('Bindings').implement({
  description: 'The engines in use; ` (down)` is appended while one is unreachable.',
  fields: (t) => ({
    catalog: t.exposeString('catalog', { description: 'The source of truth.' }),
    vectorIndex: t.exposeStringList('vectorIndex', { description: 'One name per plane.' }),
    objectStore: t.exposeString('objectStore', { description: 'Raw sources.' }),
    keyValue: t.exposeString('keyValue', { description: 'Shared short-lived state.' }),
    inference: t.exposeBoolean('inference', { description: 'Whether embedding works.' }),
  }),
})

const HealthRef = builder.objectRef<Health>('Health').implement({
  description: 'The state of the service.',
  fields: (t) => ({
    status: t.exposeString('status', { description: '`ok` or `degraded`.' }),
    service: t.exposeString('service', { description: 'The name of the service.' }),
    version: t.exposeString('version', { description: 'Its version.' }),
    time: t.exposeString('time', { description: 'ISO 8601.' }),
    bindings: t.expose('bindings', { type: BindingsRef, description: 'The engines in use.' }),
    auditAnchor: t.exposeString('auditAnchor', {
      description:
        'Where copies of audit checkpoints are stored: `filesystem` or `s3`. While some are missing or it cannot be read, ` (behind)` is appended and the status is `degraded`.',
    }),
  }),
})

builder.queryField('health', (t) =>
  t.field({
    type: HealthRef,
    ...runsOpenly('health', (_, { domain }) => domain.health()),
  }),
)
