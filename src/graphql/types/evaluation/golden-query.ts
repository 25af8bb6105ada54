import type { GoldenQueryChange, GoldenQueryDeletion } from '../../../domain/evaluation/golden-queries.ts'
import type { GoldenQuery } from '../../../model/evaluation.ts'
import { builder } from '../../builder/builder.ts'
import { pages, runs } from '../../builder/root-fields.ts'
import { exposed, int, nullable, objectType, pageType, safeInt, string, strings } from '../../builder/types.ts'

const GoldenQueryRef = builder.objectRef<GoldenQuery>('GoldenQuery').implement({
  description: 'A query with known right results.',
  fields: (t) => ({
    ...exposed<GoldenQuery>(t, {
      id: string('The id, derived from `q` and `scope`.'),
      q: string('The query.'),
      scope: nullable(
        string('The scope to search, unless the run requests one; null for the default scope of the principal.'),
      ),
      createdAt: safeInt('Epoch milliseconds.'),
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
  }),
})

const GoldenQueryPageRef = pageType('GoldenQueryPage', 'queries', GoldenQueryRef, {
  page: "A page of a namespace's golden queries.",
  items: 'Oldest first.',
})

const GoldenQueryChangeRef = objectType<GoldenQueryChange>('GoldenQueryChange', 'Golden queries that were written.', {
  ids: strings('The ids, in the order of the input.'),
  created: int('Number of new queries.'),
  updated: int('Number of existing queries that were replaced.'),
})

const GoldenQueryDeletionRef = objectType<GoldenQueryDeletion>('GoldenQueryDeletion', 'Deleted golden queries.', {
  deleted: int('Number of queries.'),
})

pages('goldenQueries', GoldenQueryPageRef, (range, services) => services.goldenQueries.list(range))

runs('createGoldenQueries', GoldenQueryChangeRef, (args, services) => services.goldenQueries.create(args))

runs('deleteGoldenQueries', GoldenQueryDeletionRef, ({ ids }, services) => services.goldenQueries.delete(ids))
