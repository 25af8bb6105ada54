import { goldenIds, goldenInput } from '../../../domain/evaluation/evaluation-input.ts'
import type { GoldenQueryChange, GoldenQueryDeletion } from '../../../domain/evaluation/golden-queries.ts'
import type { GoldenQuery } from '../../../model/evaluation.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { checkedPage, pageArgs, pageType } from '../../builder/pages.ts'

const GoldenQueryRef = builder.objectRef<GoldenQuery>('GoldenQuery').implement({
  description: 'A query whose right results are known.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Follows from `q` and `scope`.' }),
    q: t.exposeString('q', { description: 'The query.' }),
    scope: t.exposeString('scope', {
      nullable: true,
      description: 'Where it asks, unless the run asks for a scope; null for where its principal would.',
    }),
    expectedUnitIds: t.stringList({
      description: 'Units that it should find.',
      resolve: ({ expected }) => [...expected.unitIds],
    }),
    expectedExternalIds: t.stringList({
      description: 'Units that it should find, by the ids that they were ingested under.',
      resolve: ({ expected }) => [...expected.externalIds],
    }),
    expectedAnswers: t.stringList({
      description: 'Texts of which the answer should hold one.',
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
    ids: t.stringList({ description: 'In the order of the input.', resolve: ({ ids }) => ids }),
    created: t.exposeInt('created', { description: 'How many are new.' }),
    updated: t.exposeInt('updated', { description: 'How many were there, and expect now what was sent.' }),
  }),
})

const GoldenQueryDeletionRef = builder.objectRef<GoldenQueryDeletion>('GoldenQueryDeletion').implement({
  description: 'Golden queries that are gone.',
  fields: (t) => ({ deleted: t.exposeInt('deleted', { description: 'How many there were.' }) }),
})

const GoldenQueryInput = builder.inputType('GoldenQueryInput', {
  description: 'A golden query. It expects at least one Unit or answer.',
  fields: (t) => ({
    q: t.string({ required: true, description: 'The query.' }),
    scope: t.string({ description: 'Where it asks, a path or `*`, unless the run asks for a scope.' }),
    expectedUnitIds: t.stringList({
      description:
        'Units that it should find. They are not looked up: an unknown or hidden one is one that is not found.',
    }),
    expectedExternalIds: t.stringList({
      description:
        'The same, by the ids that they were ingested under. Where several Units have the same, any of them will do.',
    }),
    expectedAnswers: t.stringList({
      description: 'Texts of which the answer should hold one.',
    }),
  }),
})

builder.queryField('goldenQueries', (t) =>
  t.field({
    type: GoldenQueryPageRef,
    description: 'The golden queries of the namespace. Needs an admin principal.',
    args: pageArgs('Offset from the oldest.'),
    ...checkedPage((context, range) => servicesOf(context).goldenQueries.list(range)),
  }),
)

builder.mutationFields((t) => ({
  createGoldenQueries: t.field({
    type: GoldenQueryChangeRef,
    description:
      'Writes golden queries, all or none; a namespace holds at most 1,000. One that is there already, with the same `q` and `scope`, then expects what is sent. Needs an admin principal.',
    args: { queries: t.arg({ type: [GoldenQueryInput], required: true, description: 'The queries.' }) },
    ...checked(goldenInput, (args, context) => servicesOf(context).goldenQueries.create(args)),
  }),
  deleteGoldenQueries: t.field({
    type: GoldenQueryDeletionRef,
    description: 'Deletes golden queries; unknown ids count nowhere. Needs an admin principal.',
    args: { ids: t.arg.stringList({ required: true, description: 'Their ids.' }) },
    ...checked(goldenIds, ({ ids }, context) => servicesOf(context).goldenQueries.delete(ids)),
  }),
}))
