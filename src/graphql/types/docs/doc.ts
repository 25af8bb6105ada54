import type { DocPage } from '../../../domain/docs/read-docs.ts'
import type { Doc } from '../../../model/doc.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { nextCursorField } from '../../builder/types.ts'
import { ContextRef } from '../access/context.ts'
import { ModalityEnum, PlaneEnum } from '../common/enums.ts'

const DocRef = builder.objectRef<Doc>('Doc').implement({
  description:
    'What the caller may read of a `docId`: a sum over its Units. `Document` is a file that was taken in; a `Doc` exists for any `docId`.',
  fields: (t) => ({
    docId: t.exposeString('docId', { nullable: true, description: 'Null for a Unit of its own.' }),
    unitId: t.exposeString('unitId', { description: 'Its first readable Unit.' }),
    title: t.exposeString('title', {
      description:
        "One line, by its first readable Unit: the first heading of its title, `metadata.title`, `docId`, the external id, or the text's beginning.",
    }),
    scopes: t.exposeStringList('scopes', { description: 'Where its Units are.' }),
    planes: t.expose('planes', { type: [PlaneEnum], description: "Its Units' planes." }),
    modalities: t.expose('modalities', { type: [ModalityEnum], description: "Its Units' modalities." }),
    mime: t.exposeString('mime', { nullable: true, description: 'Content type of the source of its first Unit.' }),
    sourceUri: t.exposeString('sourceUri', { nullable: true, description: 'Raw source of its first Unit.' }),
    units: t.expose('units', { type: 'SafeInt', description: 'How many Units of it the caller may read.' }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'First write. Epoch milliseconds.' }),
    updatedAt: t.expose('updatedAt', { type: 'SafeInt', description: 'Latest change. Epoch milliseconds.' }),
  }),
})

const DocPageRef = builder.objectRef<DocPage>('DocPage').implement({
  description: 'A page of documents by first write, newest first.',
  fields: (t) => ({
    context: t.expose('context', { type: ContextRef, description: 'The enforcement context.' }),
    docs: t.field({ type: [DocRef], description: 'Newest first.', resolve: ({ items }) => items }),
    count: t.exposeInt('count', { description: 'What the caller may see, on all pages together.' }),
    nextCursor: t.expose('nextCursor', nextCursorField),
  }),
})

builder.queryFields((t) => ({
  docs: t.field({
    type: DocPageRef,
    ...runs('docs', (input, services) => services.docs.list(input)),
  }),
  doc: t.field({
    type: DocRef,
    ...runs('doc', ({ docId }, services) => services.docs.get(docId)),
  }),
}))
