import type { ObjectRef } from '@pothos/core'
import type { Page } from '../../domain/input/page.ts'
import { builder } from './builder.ts'

/** The arguments that select a page. `cursor` says from where it counts. */
export const pageArgs = (cursor: string) =>
  builder.args((t) => ({
    limit: t.int({ description: 'Page size.' }),
    cursor: t.field({ type: 'SafeInt', description: cursor }),
  }))

/** The options of the field `nextCursor` of a page. */
export const nextCursorField = {
  type: 'SafeInt',
  nullable: true,
  description: 'The `cursor` of the next page; null on the last page.',
} as const

type SchemaTypes = typeof builder.$inferSchemaTypes

interface PageDescriptions {
  page: string
  items: string
}

/** The type of a page, whose items are in the field `name`. */
export const pageType = <T>(type: string, name: string, item: ObjectRef<SchemaTypes, T>, described: PageDescriptions) =>
  builder.objectRef<Page<T>>(type).implement({
    description: described.page,
    fields: (t) => ({
      [name]: t.field({ type: [item], description: described.items, resolve: ({ items }) => items }),
      count: t.exposeInt('count', { description: 'What the caller may see, on all pages together.' }),
      nextCursor: t.expose('nextCursor', nextCursorField),
    }),
  })
