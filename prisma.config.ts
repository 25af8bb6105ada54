import { defineConfig } from 'prisma/config'

// `prisma generate` needs no engine, yet would download one: any existing executable satisfies its check.
if (process.argv.includes('generate')) process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  // Only `prisma migrate deploy` on a PostgreSQL server reads this; generating a client needs no database.
  ...(process.env.DATABASE_URL ? { datasource: { url: process.env.DATABASE_URL } } : {}),
})
