import { bool, type Client, integer, rowsOf } from '../database/columns.ts'

// A start makes these before the port opens. They do without Prisma: to load its compiler takes a tenth of a second.

/** Fails if the embedded database does not respond, or its files are gone. */
export async function ping(client: Client): Promise<void> {
  await rowsOf(client, { one: integer }, "SELECT 1 AS one FROM pg_stat_file('PG_VERSION')")
}

export async function hasPrincipals(client: Client): Promise<boolean> {
  const [answer] = await rowsOf(client, { found: bool }, 'SELECT EXISTS (SELECT FROM principal) AS found')
  return answer?.found ?? false
}
