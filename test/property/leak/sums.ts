import { expect } from 'vitest'
import { planes } from '../../../src/model/unit.ts'
import type { Reply } from '../../support/boot.ts'
import type { ModelUnit } from './model.ts'

/** What `docs` and `facets` must answer: sums over the readable Units, and nothing else. */

export const facetFields = ['plane', 'modality', 'scope', 'docId', 'metadata.tag'] as const

const keyOf = ({ docId, unitId }: ModelUnit) => docId ?? unitId

export function checkDocs(
  readable: readonly ModelUnit[],
  isFiltered: (unit: ModelUnit) => boolean,
  { limit, cursor }: { limit: number; cursor: number },
  body: Reply['body'],
): void {
  const groups = [...Map.groupBy(readable, keyOf).values()].filter((units) => units.some(isFiltered)).reverse()
  const newestFirst = groups.sort((a, b) => readable.indexOf(b[0] as ModelUnit) - readable.indexOf(a[0] as ModelUnit))
  expect(body.count).toBe(newestFirst.length)
  expect(body.nextCursor).toBe(cursor + limit < newestFirst.length ? cursor + limit : null)
  const expected = newestFirst.slice(cursor, cursor + limit).map((units) => ({
    docId: units[0]?.docId ?? null,
    unitId: units[0]?.unitId,
    units: units.length,
    scopes: [...new Set(units.map(({ scope }) => scope))].sort(),
    planes: planes.filter((plane) => units.some((unit) => unit.plane === plane)),
    sourceUri: units[0]?.sourceUri ?? null,
  }))
  expect(body.docs).toMatchObject(expected)
}

export function checkFacets(
  readable: readonly ModelUnit[],
  isFiltered: (unit: ModelUnit, except: string) => boolean,
  body: Reply['body'],
): void {
  expect(body.count).toBe(readable.filter((unit) => isFiltered(unit, '')).length)
  for (const [i, field] of facetFields.entries()) {
    const counted = readable.filter((unit) => isFiltered(unit, field)).map((unit) => fieldOf(unit, field))
    const { values, other, missing } = body.facets[i]
    const told = values.map(({ value, count }: { value: unknown; count: number }) => [value, count] as const)
    const known = counted.filter((value) => value !== null)
    const sums = [...Map.groupBy(known, (value) => value)].map(([value, all]) => [value, all.length] as const)
    expect(sums).toEqual(expect.arrayContaining([...told]))
    expect(told.length).toBe(Math.min(sums.length, 20))
    expect(told.reduce((sum: number, [, count]: readonly [unknown, number]) => sum + count, other)).toBe(known.length)
    expect(missing).toBe(counted.length - known.length)
  }
}

function fieldOf(unit: ModelUnit, field: (typeof facetFields)[number]) {
  if (field === 'metadata.tag') return unit.metadata.tag ?? null
  return unit[field]
}
