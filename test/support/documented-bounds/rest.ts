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

  /** Replaces each reference to a component with that component. */
  function resolve({ $ref, ...node }: Node): Node {
    const component = typeof $ref === 'string' ? document.components.schemas[$ref.split('/').at(-1) ?? ''] : undefined
    const whole: Node = component ? { ...resolve(component), ...node } : node
    const properties = Object.entries(whole.properties ?? {}).map(([name, member]) => [name, resolve(member)] as const)
    return {
      ...whole,
      ...(whole.properties && { properties: Object.fromEntries(properties) }),
      ...(whole.items && { items: resolve(whole.items) }),
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
