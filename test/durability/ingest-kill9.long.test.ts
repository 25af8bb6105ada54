import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atNight, kills } from '../support/amounts.ts'
import { createStorage } from '../support/database/database.ts'
import { type Command, ingest, startIngest } from '../support/documents/ingest-command.ts'
import { environmentOf, type ServerProcess, startServerProcess } from '../support/process/server-process.ts'
import { tempDir } from '../support/temp-dir.ts'

const rounds = kills(1)
const files = atNight ? 60 : 24

/** Texts of all Units, sorted. */
async function textsOf({ url, token, scope }: Command): Promise<string[]> {
  const texts: string[] = []
  for (let cursor: number | null = 0; cursor !== null; ) {
    const response: Response = await fetch(`${url}/v1/units?cursor=${cursor}`, {
      headers: { authorization: `Bearer ${token}`, 'x-svc-scope': scope },
    })
    const page = (await response.json()) as { units: { text: string }[]; next_cursor: number | null }
    texts.push(...page.units.map(({ text }) => text))
    cursor = page.next_cursor
  }
  return texts.sort()
}

test(`${rounds} rounds of kill -9 of the command or the service leave nothing twice and nothing out`, {
  timeout: 120_000 + rounds * 120_000,
}, async () => {
  const storage = await createStorage()
  const folder = tempDir('ingest-kill9')
  let server: ServerProcess = await startServerProcess(environmentOf(storage))
  try {
    const env = { ...environmentOf(storage), PORT: new URL(server.url).port }
    const seeded = await fetch(`${server.url}/v1/admin/seed`, { method: 'POST' })
    const { tokens } = (await seeded.json()) as { tokens: { admin: string } }
    const command = { url: server.url, token: tokens.admin, scope: 'harbor/killed', cwd: folder.path }
    mkdirSync(join(folder.path, 'n'))
    for (let round = 0; round < rounds; round++) {
      // Each round changes a third of the files.
      for (let i = round % 3; i < files; i += round === 0 ? 1 : 3) {
        writeFileSync(join(folder.path, `n/${i}.md`), `Boat ${i} in round ${round}.\n`)
      }
      const { child, ended } = startIngest(command, 'n')
      await sleep(300 + Math.random() * 3_000)
      if (round % 2 === 0) child.kill('SIGKILL')
      else {
        server.kill('SIGKILL')
        await server.exited
        server = await startServerProcess(env)
      }
      await ended
      const whole = await ingest(command, 'n')
      expect(whole).toMatchObject({ code: 0, stderr: '' })
      const wanted = Array.from({ length: files }, (_, i) => {
        const last = Array.from({ length: round }, (_, k) => round - k).find((r) => i % 3 === r % 3) ?? 0
        return `Boat ${i} in round ${last}.`
      })
      expect(await textsOf(command)).toEqual(wanted.sort())
    }
  } finally {
    await server[Symbol.asyncDispose]()
    folder.remove()
    await storage.remove()
  }
})
