import type { GoldenQueryChange, GoldenQueryDeletion } from '../../../domain/evaluation/golden-queries.ts'
import type { GoldenQuery } from '../../../model/evaluation.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { pageType } from '../../builder/types.ts'

const GoldenQueryRef = builder.objectRef<GoldenQuery>('GoldenQuery').implement({
  description: 'A query with known right results.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id, derived from `q` and `scope`.' }),
    q: t.exposeString('q', { description: 'The query.' }),
    scope: t.exposeString('scope', {
      nullable: true,
      description: 'The scope to search, unless the run requests one; null for the default scope of the principal.',
    }),
    expectedUnitIds: t.stringList({
      description: 'Units that it should find.',
      resolve: ({ expected }) => [...expected.unitIds],
    }),
    expectedExternalIds: t.stringList({
      description: 'External ids of the Units that it should find.',
      resolve: ({ expected }) => [...expected.externalIds],
    }),
    expectedAnswers: t.stringList({
      description: 'Expected answers. An answer should contain one of them.',
      resolve: ({ expected }) => [...expected.answers],
    }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
  }),
})

const GoldenQueryPageRef = pageType('GoldenQueryPage', 'queries', GoldenQueryRef, {
  page: "A page of a namespace's golden queries.",
  items: 'Oldest first.',
})

const GoldenQueryChangeRef = builder.objectRef<GoldenQueryChange>('GoldenQueryChange').implement({
  description: 'Golden queries that were written.',
  fields: (t) => ({
    ids: t.stringList({ description: 'The ids, in the order of the input.', resolve: ({ ids }) => ids }),
    created: t.exposeInt('created', { description: 'Number of new queries.' }),
    updated: t.exposeInt('updated', { description: 'Number of existing queries that were replaced.' }),
  }),
})

const GoldenQueryDeletionRef = builder.objectRef<GoldenQueryDeletion>('GoldenQueryDeletion').implement({
  description: 'Deleted golden queries.',
  fields: (t) => ({ deleted: t.exposeInt('deleted', { description: 'Number of queries.' }) }),
})

builder.queryField('goldenQueries', (t) =>
  t.field({
    type: GoldenQueryPageRef,
    ...pages('goldenQueries', (range, services) => services.goldenQueries.list(range)),
  }),
)

builder.mutationFields((t) => ({
  createGoldenQueries: t.field({
    type: GoldenQueryChangeRef,
    ...runs('createGoldenQueries', (args, services) => services.goldenQueries.create(args)),
  }),
  deleteGoldenQueries: t.field({
    type: GoldenQueryDeletionRef,
    ...runs('deleteGoldenQueries', ({ ids }, services) => services.goldenQueries.delete(ids)),
  }),
}))
