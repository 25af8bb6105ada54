import { boot, superAdminToken, type TestApp } from '../../support/boot.ts'

/** The seeded service; on a server two of them, which share the database. */
export async function bootReplicas(): Promise<TestApp[]> {
  const first = await boot()
  await first.call('POST', '/v1/admin/seed', { token: superAdminToken })
  if (!process.env.TEST_DATABASE_URL) return [first]
  const { storage } = first
  return [first, await boot({ storage: { ...storage, dataDir: `${storage.dataDir}/other` } })]
}

export async function closeReplicas([first, ...others]: readonly TestApp[] = []): Promise<void> {
  for (const app of others) await app.close({ keep: true })
  await first?.close()
}
