/**
 * A class that every runtime has, by the types of whatever describes it: the DOM library, `@types/node`, or a runtime's
 * own. A project with none of them type-checks, too; it cannot use what it has no type for.
 */
export type Platform<Name extends string> =
  typeof globalThis extends Record<Name, { prototype: infer Type }> ? Type : never

export type Fetch = typeof globalThis extends { fetch: infer Type } ? Type : never
