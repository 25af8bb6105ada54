import type { EnumRef, FieldMap, ObjectRef, OutputRef } from '@pothos/core'
import type { Page } from '../../domain/input/page.ts'
import type { Metadata } from '../../model/unit.ts'
import { builder, nameOf } from './builder.ts'

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

/** A field that shows the property of its name. `V` is what the property may be. */
interface Shown<in V> {
  type: unknown
  nullable?: boolean
  description: string
  accepts?: (value: V) => void
}

type Shows<T> = { [K in keyof T]?: Shown<T[K]> }

const scalar =
  <V>(type: string | readonly [string]) =>
  (description: string): Shown<V> => ({ type, description })

export const string = scalar<string>('String')
export const strings = scalar<readonly string[]>(['String'])
export const int = scalar<number>('Int')
export const safeInt = scalar<number>('SafeInt')
export const float = scalar<number>('Float')
export const boolean = scalar<boolean>('Boolean')
export const json = scalar<unknown>('JSON')
export const metadata = scalar<Metadata>('Metadata')
export const of = <V>(type: OutputRef<V>, description: string): Shown<V> => ({ type, description })
export const list = <V>(type: OutputRef<V>, description: string): Shown<readonly V[]> => ({ type: [type], description })
export const nullable = <V>({ type, description }: Shown<V>): Shown<V | null | undefined> => ({
  type,
  description,
  nullable: true,
})

/** The fields of a type that show properties as they are. `t` is the builder of its fields. */
export function exposed<T>(t: object, fields: Shows<T>): FieldMap {
  const builder = t as { expose(name: string, options: object): FieldMap[string] }
  const shown = Object.entries<object | undefined>(fields)
  return Object.fromEntries(shown.map(([name, options]) => [name, builder.expose(name, options ?? {})]))
}

/** A type of which every field shows the property of its name. */
export const objectType = <T>(name: string, description: string, fields: Shows<T>) =>
  builder.objectRef<T>(name).implement({ description, fields: (t) => exposed(t, fields) })

/** Adds a field with the name of the principal whose id another field has. */
export const addName = <T>(
  type: ObjectRef<SchemaTypes, T>,
  field: string,
  whose: string,
  idOf: (value: T) => string | null | undefined,
): void =>
  builder.objectField(type, field, (t) =>
    t.string({
      nullable: true,
      description: `The name of ${whose}; null without one.`,
      resolve: (value, _, context) => nameOf(context, idOf(value as T) ?? null),
    }),
  )

/** The field `nextCursor` of a page. */
export const nextCursor = nullable(safeInt('The `cursor` of the next page; null on the last page.'))

interface PageDescriptions {
  page: string
  items: string
  count?: string
}

/** The type of a page, whose items are in the field `name`, with what else it shows. */
export const pageType = <T, More = unknown>(
  type: string,
  name: string,
  item: ObjectRef<SchemaTypes, T>,
  { page, items, count = 'What the caller may see, on all pages together.' }: PageDescriptions,
  more?: Shows<More>,
) =>
  builder.objectRef<Page<T> & More>(type).implement({
    description: page,
    fields: (t) => ({
      [name]: t.field({ type: [item], description: items, resolve: (shown) => shown.items }),
      ...exposed<Page<T>>(t, { count: int(count), nextCursor }),
      ...exposed(t, more ?? {}),
    }),
  })
