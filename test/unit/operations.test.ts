import { expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'
import { operations } from '../../src/operations/operations.ts'

test('the table of operations has an entry for each name of a root field, and no other', () => {
  const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  )
  expect(Object.keys(operations).sort()).toEqual([...new Set(fields)].sort())
})
