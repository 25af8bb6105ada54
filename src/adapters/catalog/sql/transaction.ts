import type { Db } from '../database/db.ts'

/** Serialises all creation of namespaces and principals, across processes. The number is arbitrary but fixed. */
const provisionLock = 7_201_114

export async function lockProvisioning(db: Db): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${provisionLock}::bigint)`
}

/** Makes this transaction read-only. */
export async function setReadOnly(db: Db): Promise<void> {
  await db.$executeRaw`SET TRANSACTION READ ONLY`
}
