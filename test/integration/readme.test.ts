import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createStorage } from '../support/database.ts'
import { environmentOf, startServerProcess } from '../support/server-process.ts'

const run = promisify(execFile)
const curl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

const sections = ['A worked example', 'A log that can be checked without us', 'How good is it on your own questions']

const sectionOf = (readme: string, title: string) => readme.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? ''

/** Each command of the worked example and of what goes on with it, with the output that the README prints below it, if any. */
function examples(readme: string): { command: string; output: string | null }[] {
  const section = sections.map((title) => sectionOf(readme, title)).join('\n')
  const blocks = [...section.matchAll(/```(sh)?\n([\s\S]*?)```/g)].map(([, language, text = '']) => ({
    language,
    text,
  }))
  return blocks.flatMap(({ language, text }, i) => {
    const next = blocks[i + 1]
    return language === 'sh'
      ? [{ command: text, output: next?.language === undefined ? (next?.text ?? null) : null }]
      : []
  })
}

it.skipIf(!curl)('prints what the README says, pasted into a shell (needs curl)', async () => {
  const storage = await createStorage()
  const folder = await mkdtemp(join(tmpdir(), 'readme-'))
  const server = await startServerProcess(environmentOf(storage))
  onTestFinished(async () => {
    server.kill('SIGKILL')
    await server.exited
    await storage.remove()
    await rm(folder, { recursive: true })
  })
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const found = examples(readme)
  expect(found.length).toBeGreaterThan(5)
  const script = found.map(({ command }) => `${command}\necho; echo ----`).join('\n')
  const cli = (name: string) => fileURLToPath(new URL(`../../src/cli/${name}.ts`, import.meta.url))
  const pasted = script
    .replaceAll('http://127.0.0.1:8787', server.url)
    .replaceAll(/npm run -s (audit|evaluate) --/g, (_, name) => `${process.execPath} ${cli(name)}`)
  const { stdout } = await run('bash', ['-euc', pasted], { cwd: folder })
  const printed = stdout.split('----\n').map((text) => text.trim())
  for (const [i, { command, output }] of found.entries()) {
    if (output !== null) expect(printed[i], command).toBe(output.trim())
  }
  server.kill('SIGTERM')
  expect((await server.exited).code).toBe(0)
})
