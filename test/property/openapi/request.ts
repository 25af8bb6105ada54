import type { CallOptions } from '../../support/boot.ts'
import type { Draw } from '../draw.ts'
import type { Operation, Parameter } from './document.ts'
import { drawValue, type Schema } from './values.ts'
import type { World } from './world.ts'

export interface Sent {
  kind: keyof World['keys']
  /** Whether all values fit their schemas. */
  fits: boolean
  path: string
  options: CallOptions
}

/** A request of an operation, with one of the credentials. */
export function drawRequest(
  draw: Draw,
  { parameters, path, body }: Operation,
  { keys, known }: World,
  schemas: Readonly<Record<string, Schema>>,
): Sent {
  const source = { draw, schemas, known, wild: draw.chance(50) }
  const kind = draw.pick(['unrestricted', 'unrestricted', 'narrow', 'agent', 'none'] as const)
  const textOf = ({ name, schema }: Parameter) => {
    const value = drawValue(source, schema, name)
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
  const taken = (place: Parameter['in'], percent: number) =>
    parameters.filter((one) => one.in === place && (one.required || draw.chance(percent)))
  const query = taken('query', 20).flatMap((one) => {
    const value = drawValue(source, one.schema, one.name)
    return [value].flat().map((item) => `${one.name}=${encode(typeof item === 'string' ? item : JSON.stringify(item))}`)
  })
  const headers = Object.fromEntries(taken('header', 15).map((one) => [one.name, headerOf(textOf(one))]))
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    if (source.wild && draw.chance(4)) return draw.pick(['%', '%ff', '', '..', '%2F'])
    return parameter ? encode(textOf(parameter)) : name
  })
  const token = draw.pick(keys[kind])
  return {
    kind,
    fits: !source.wild,
    path: query.length > 0 ? `${filled}?${query.join('&')}` : filled,
    options: {
      ...(token === undefined ? {} : { token }),
      headers,
      ...(body && (body.required || draw.chance(70)) && !(source.wild && draw.chance(4)) ? { body: drawBody() } : {}),
    },
  }

  function drawBody(): string {
    if (source.wild && draw.chance(4))
      return draw.pick(['', '{', 'null', '[]', '"text"', '{"a":1,"a":2}', '\ufeff{}', '['.repeat(2000)])
    return JSON.stringify(drawValue(source, body?.schema ?? {})) ?? ''
  }
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed())

/** A header holds bytes of Latin-1, without control characters. */
const headerOf = (text: string): string => text.replace(/[^\x20-\x7e\xa0-\xff]/g, '?').trim()
