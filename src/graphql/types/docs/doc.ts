import type { DocPage } from '../../../domain/docs/read-docs.ts'
import type { Doc } from '../../../model/doc.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import {
  exposed,
  int,
  list,
  nextCursor,
  nullable,
  objectType,
  of,
  safeInt,
  string,
  strings,
} from '../../builder/types.ts'
import { ContextRef } from '../access/context.ts'
import { ModalityEnum, PlaneEnum } from '../common/enums.ts'

const DocRef = objectType<Doc>(
  'Doc',
  'What the caller may read of a `docId`: a sum over its Units. `Document` is a file that was taken in; a `Doc` exists for any `docId`.',
  {
    docId: nullable(string('Null for a Unit of its own.')),
    unitId: string('Its first readable Unit.'),
    title: string(
      "One line, by its first readable Unit: the first heading of its title, `metadata.title`, `docId`, the external id, or the text's beginning.",
    ),
    scopes: strings('Where its Units are.'),
    planes: list(PlaneEnum, "Its Units' planes."),
    modalities: list(ModalityEnum, "Its Units' modalities."),
    mime: nullable(string('Content type of the source of its first Unit.')),
    sourceUri: nullable(string('Raw source of its first Unit.')),
    units: safeInt('How many Units of it the caller may read.'),
    createdAt: safeInt('First write. Epoch milliseconds.'),
    updatedAt: safeInt('Latest change. Epoch milliseconds.'),
  },
)

const DocPageRef = builder.objectRef<DocPage>('DocPage').implement({
  description: 'A page of documents by first write, newest first.',
  fields: (t) => ({
    ...exposed<DocPage>(t, {
      context: of(ContextRef, 'The enforcement context.'),
      count: int('What the caller may see, on all pages together.'),
      nextCursor,
    }),
    docs: t.field({ type: [DocRef], description: 'Newest first.', resolve: ({ items }) => items }),
  }),
})

runs('docs', DocPageRef, (input, services) => services.docs.list(input))

runs('doc', DocRef, ({ docId }, services) => services.docs.get(docId))
