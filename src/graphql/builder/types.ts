import type { EnumRef, ObjectRef } from '@pothos/core'
import type { Page } from '../../domain/input/page.ts'
import { builder } from './builder.ts'

type SchemaTypes = typeof builder.$inferSchemaTypes

const enums = new Map<string, unknown>()
const keyOf = (values: readonly string[]) => [...values].sort().join()

/** An enumeration: its values, and what each of them means. */
export function enumType<T extends string>(
  name: string,
  description: string,
  values: readonly T[],
  meanings: Record<NoInfer<T>, string>,
): EnumRef<SchemaTypes, T> {
  const described = values.map((value) => [value, { value, description: meanings[value] }] as const)
  const type = builder.enumType(name, { description, values: Object.fromEntries(described) as Values<T> })
  enums.set(keyOf(values), type)
  return type as EnumRef<SchemaTypes, T>
}

type Values<T extends string> = { [K in T]: { value: K; description: string } }

/** The enumeration that has these values. Throws if there is none. */
export function enumOf(values: readonly string[]): unknown {
  const type = enums.get(keyOf(values))
  if (!type) throw new Error(`no enumeration has the values ${values.join(', ')}`)
  return type
}

/** The options of the field `nextCursor` of a page. */
export const nextCursorField = {
  type: 'SafeInt',
  nullable: true,
  description: 'The `cursor` of the next page; null on the last page.',
} as const

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
