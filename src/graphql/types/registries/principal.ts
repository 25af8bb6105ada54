import type { NewPrincipal, PrincipalDeletion } from '../../../domain/registries/principals.ts'
import { type PrincipalRecord, principalKinds } from '../../../model/registry.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import {
  boolean,
  enumType,
  exposed,
  int,
  objectType,
  of,
  pageType,
  safeInt,
  string,
  strings,
} from '../../builder/types.ts'

const PrincipalKindEnum = enumType('PrincipalKind', 'The kind of a principal.', principalKinds, {
  user: 'A person.',
  agent: 'A program that acts autonomously. Some scopes are read-only for it.',
  service: 'A system.',
})

const PrincipalFields = builder.interfaceRef<PrincipalRecord>('PrincipalRecord').implement({
  description: 'A user, service or agent that sends requests.',
  fields: (t) =>
    exposed<PrincipalRecord>(t, {
      principalId: string('Its id. It never changes and is never reused.'),
      namespace: string('Its home namespace.'),
      kind: of(PrincipalKindEnum, 'Its kind.'),
      groups: strings('Its groups in its home namespace.'),
      readOnly: boolean('Whether it may only read, whatever its grants.'),
      activeScope: string('The scope of requests without a scope.'),
      createdAt: safeInt('Epoch milliseconds.'),
    }),
})

const PrincipalRef = builder.objectRef<PrincipalRecord>('Principal').implement({
  description: 'A user, service or agent that sends requests.',
  interfaces: [PrincipalFields],
})

const PrincipalPageRef = pageType('PrincipalPage', 'principals', PrincipalRef, {
  page: "A page of a namespace's principals.",
  items: 'Oldest first.',
})

const NewPrincipalRef = builder.objectRef<NewPrincipal>('NewPrincipal').implement({
  description: 'A new principal.',
  interfaces: [PrincipalFields],
  fields: (t) =>
    exposed<NewPrincipal>(t, {
      token: string('Its API token. It is shown only once.'),
    }),
})

const PrincipalDeletionRef = objectType<PrincipalDeletion>('PrincipalDeletion', 'What deleting a principal removed.', {
  deleted: boolean('Always true.'),
  tokens: int('Tokens that no longer work.'),
  grants: int('Number of its grants in the namespace. Its grants elsewhere are removed too, but not counted.'),
})

pages('principals', PrincipalPageRef, (range, services) => services.principals.list(range))

runs('principal', PrincipalRef, ({ id }, services) => services.principals.get(id))

runs('createPrincipal', NewPrincipalRef, (input, services) => services.principals.create(input))

runs('deletePrincipal', PrincipalDeletionRef, ({ id }, services) => services.principals.delete(id))
