import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot()
})
afterAll(() => app.close())

it('a process that was busy itself takes nothing for down', async () => {
  const asked = app.runtime.domain.health()
  // Simulates a start on a busy machine: the event loop is blocked for longer than the timeout.
  const end = performance.now() + 2_500
  while (performance.now() < end);
  const { status, bindings } = await asked
  expect([status, bindings.catalog]).toEqual(['ok', app.storage.catalog.kind])
  expect(JSON.stringify(bindings)).not.toContain('(down)')
})
