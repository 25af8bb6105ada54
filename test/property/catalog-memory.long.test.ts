import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heldTables } from '../../src/adapters/catalog/memory/commits.ts'
import { atNight } from '../support/amounts.ts'
import type { TestApp } from '../support/boot.ts'
import { changeAll, mutations } from './catalog-memory/change.ts'
import { bootReplicas, closeReplicas } from './catalog-memory/replicas.ts'
import { forAllRuns, timeoutFor } from './draw.ts'

const runs = 1
const timesEach = atNight ? 2 : 1

let apps: TestApp[]
beforeAll(async () => {
  apps = await bootReplicas()
})
afterAll(() => closeReplicas(apps))

describe('the memory of the catalog', () => {
  test('answers as the database, whatever was changed', { timeout: timeoutFor(runs) * 2 }, () =>
    forAllRuns(runs, async (draw) => {
      expect(await changeAll(apps[0] as TestApp, draw, mutations, apps.length > 1 ? 1 : timesEach, apps)).toEqual([])
    }),
  )

  test('has an entry for each table', () => {
    const schema = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
    const tables = [...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, table]) => table)
    expect(Object.keys(heldTables).toSorted()).toEqual(tables.toSorted())
  })
})
