import type { SeedPrincipal } from '../../../domain/seed/principals.ts'
import type { SeedResult } from '../../../domain/seed/seed.ts'
import { runsOpenly } from '../../builder/root-fields.ts'
import { boolean, json, list, objectType, string, strings } from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'

const SeededPrincipalRef = objectType<SeedPrincipal>('SeededPrincipal', 'A principal of the demo dataset.', {
  principalId: string('Its id.'),
  namespace: string('Its home namespace.'),
  tier: string("The namespace's tier."),
  scope: string('What its grant covers.'),
  perms: list(PermissionEnum, 'What its grant allows.'),
  groups: strings('Its groups.'),
  readOnly: boolean('Whether it may only read.'),
})

const SeedResultRef = objectType<SeedResult>('SeedResult', 'The result of seeding.', {
  principals: list(SeededPrincipalRef, 'The demo principals.'),
  scopes: strings('The demo scopes.'),
  tokens: json('Their tokens, by name. They are shown only once.'),
  counts: json('Number of objects of each kind.'),
})

runsOpenly('seed', SeedResultRef, (_, { domain, session, requestId, pageProblem }) => {
  if (pageProblem) throw pageProblem
  return domain.seed(session, requestId)
})
