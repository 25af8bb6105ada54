import { expect, it } from 'vitest'
import { openCatalog } from '../../src/adapters/catalog/catalog.ts'
import { createStorage } from '../support/database/database.ts'

it('a transaction that waits too long for the one connection is refused as overloaded, and did nothing', async () => {
  const storage = await createStorage({ embedded: true })
  const catalog = await openCatalog(
    { ...storage.catalog, transactionWaitMs: 1 },
    { info: () => {}, warn: () => {}, error: () => {} },
  )
  const longWait = { maxWait: 60_000 }
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const { promise: holding, resolve: holds } = Promise.withResolvers<void>()
  const holder = catalog.client.$transaction(async () => {
    holds()
    await held
  }, longWait)
  await holding
  let began = 0
  const work = async () => {
    began += 1
  }
  for (const refused of [() => catalog.transact('ns_1', work), () => catalog.provision(work)])
    await expect(refused()).rejects.toMatchObject({ code: 'overloaded', status: 503, retryAfter: 1 })
  expect(began).toBe(0)
  release()
  await holder
  // What was given up holds no connection.
  expect(await catalog.client.$transaction((db) => db.namespace.count(), longWait)).toBe(0)
  await catalog.close()
  await storage.remove()
})
