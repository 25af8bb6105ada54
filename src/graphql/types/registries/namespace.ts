import type { NamespaceDeletion, NamespaceView } from '../../../domain/registries/namespaces.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import {
  boolean,
  exposed,
  int,
  list,
  nullable,
  objectType,
  of,
  pageType,
  safeInt,
  string,
} from '../../builder/types.ts'
import { HiddenCountEnum, PlaneEnum } from '../common/enums.ts'

const NamespaceRef = builder.objectRef<NamespaceView>('Namespace').implement({
  description: 'A tenant, with its own scopes, Units and principals.',
  fields: (t) => ({
    ...exposed<NamespaceView>(t, {
      tier: string('`free`, `pro` or `enterprise`.'),
      owner: nullable(string('The principal that claimed it.')),
      home: boolean("Whether it is the caller's home namespace."),
      registered: boolean('False for a home namespace that was created for a console user and not claimed.'),
      planes: list(PlaneEnum, 'Planes that its tier includes.'),
      maxNamespaces: nullable(
        int(
          'Maximum number of registered namespaces that the principals of this home namespace may own together, including this one; null for no limit.',
        ),
      ),
      hiddenCount: of(HiddenCountEnum, 'The most that answers say of hidden Units. A key may set less.'),
      createdAt: safeInt('Epoch milliseconds.'),
    }),
    namespace: t.exposeString('name', { description: 'The name.' }),
  }),
})

const NamespacePageRef = pageType('NamespacePage', 'namespaces', NamespaceRef, {
  page: "A page of the caller's namespaces.",
  items: 'By name.',
})

const NamespaceDeletionRef = objectType<NamespaceDeletion>(
  'NamespaceDeletion',
  'What deleting a namespace removed. Units are not counted.',
  {
    deleted: boolean('Always true.'),
    scopes: int('Registered scopes removed.'),
    grants: int('Grants in the namespace removed.'),
    principals: int('Principals homed in it removed.'),
  },
)

pages('namespaces', NamespacePageRef, (range, services) => services.namespaces.list(range))

runs('namespace', NamespaceRef, ({ name }, services) => services.namespaces.get(name))

runs('createNamespace', NamespaceRef, ({ namespace }, services) => services.namespaces.create(namespace))

runs('updateNamespace', NamespaceRef, (input, services) => services.namespaces.update(input))

runs('transferNamespace', NamespaceRef, (input, services) => services.namespaces.transfer(input))

runs('deleteNamespace', NamespaceDeletionRef, ({ name }, services) => services.namespaces.delete(name))
