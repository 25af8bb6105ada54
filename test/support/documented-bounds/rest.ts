import { readFileSync } from 'node:fs'
import { type Bound, boundsIn, type Node } from './bound.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string; schema: Node }[]
  requestBody?: { content: Record<string, { schema: Node }> }
}

/** A bound of openapi.json, and its position in a request. */
export interface RestBound {
  method: string
  /** For example `/v1/units/{id}`. */
  path: string
  operationId: string
  in: 'path' | 'query' | 'body'
  bound: Bound
}

/** Every bound that openapi.json states. */
export function restBounds(): RestBound[] {
  const document: { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Node> } } =
    JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8'))

  /** Replaces each reference to a component with that component, except within itself: filters hold filters. */
  function resolve({ $ref, ...node }: Node, around: readonly unknown[] = []): Node {
    if (around.includes($ref)) return node
    const component = typeof $ref === 'string' ? document.components.schemas[$ref.split('/').at(-1) ?? ''] : undefined
    if (component) return { ...resolve(component, [...around, $ref]), ...node }
    const properties = Object.entries(node.properties ?? {}).map(
      ([name, member]) => [name, resolve(member, around)] as const,
    )
    return {
      ...node,
      ...(node.properties && { properties: Object.fromEntries(properties) }),
      ...(node.items && { items: resolve(node.items, around) }),
    }
  }

  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { operationId, parameters, requestBody }]) => {
      const where = { method: method.toUpperCase(), path, operationId }
      const ofParameters = parameters
        .filter((parameter) => parameter.in === 'path' || parameter.in === 'query')
        .flatMap((parameter) =>
          boundsIn(resolve(parameter.schema), [parameter.name]).map((bound) => {
            const place: RestBound['in'] = parameter.in === 'path' ? 'path' : 'query'
            return { ...where, in: place, bound }
          }),
        )
      const bodies = Object.values(requestBody?.content ?? {})
      const ofBody = bodies.flatMap(({ schema }) =>
        boundsIn(resolve(schema)).map((bound) => ({ ...where, in: 'body' as const, bound })),
      )
      return [...ofParameters, ...ofBody]
    }),
  )
}
