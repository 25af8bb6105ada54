import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

it('a process that was busy itself takes nothing for down', async () => {
  const asked = app.runtime.domain.health()
  // As at a start on a busy machine: what was asked has no chance to answer for longer than the timeout.
  const end = performance.now() + 2_500
  while (performance.now() < end);
  const { status, bindings } = await asked
  expect([status, bindings.catalog]).toEqual(['ok', app.storage.catalog.kind])
  expect(JSON.stringify(bindings)).not.toContain('(down)')
})
