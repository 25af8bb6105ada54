import type { SeedPrincipal } from '../../../domain/seed/principals.ts'
import type { SeedResult } from '../../../domain/seed/seed.ts'
import { builder } from '../../builder/builder.ts'
import { runsOpenly } from '../../builder/root-fields.ts'
import { PermissionEnum } from '../common/enums.ts'

const SeededPrincipalRef = builder.objectRef<SeedPrincipal>('SeededPrincipal').implement({
  description: 'A principal of the demo dataset.',
  fields: (t) => ({
    principalId: t.exposeString('principalId', { description: 'Its id.' }),
    namespace: t.exposeString('namespace', { description: 'Its home namespace.' }),
    tier: t.exposeString('tier', { description: "The namespace's tier." }),
    scope: t.exposeString('scope', { description: 'What its grant covers.' }),
    perms: t.expose('perms', { type: [PermissionEnum], description: 'What its grant allows.' }),
    groups: t.exposeStringList('groups', { description: 'Its groups.' }),
    readOnly: t.exposeBoolean('readOnly', { description: 'Whether it may only read.' }),
  }),
})

const SeedResultRef = builder.objectRef<SeedResult>('SeedResult').implement({
  description: 'The result of seeding.',
  fields: (t) => ({
    principals: t.expose('principals', { type: [SeededPrincipalRef], description: 'The demo principals.' }),
    scopes: t.exposeStringList('scopes', { description: 'The demo scopes.' }),
    tokens: t.expose('tokens', { type: 'JSON', description: 'Their tokens, by name. They are shown only once.' }),
    counts: t.expose('counts', { type: 'JSON', description: 'Number of objects of each kind.' }),
  }),
})

builder.mutationField('seed', (t) =>
  t.field({
    type: SeedResultRef,
    ...runsOpenly('seed', (_, { domain, session, requestId, pageProblem }) => {
      if (pageProblem) throw pageProblem
      return domain.seed(session, requestId)
    }),
  }),
)
