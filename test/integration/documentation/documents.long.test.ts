import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { createStorage } from '../../support/database/database.ts'
import { environmentOf, startServerProcess } from '../../support/process/server-process.ts'
import { blocksOf, examplesOf, pages, readPage } from '../../support/texts/documents.ts'

const run = promisify(execFile)
const curl = await run('curl', ['--version']).then(
  () => true,
  () => false,
)

// The README's commands seed; the last page seeds again, which replaces the tokens.
const [first, last] = ['README.md', 'examples/README.md']
const tokens =
  'export ADMIN=$(node -p \'require("./seed.json").tokens.admin\')\nexport READONLY=$(node -p \'require("./seed.json").tokens.readonly\')\n'

const inOrder = [first, ...pages.filter((page) => page !== first && page !== last), last].filter(
  (page) => examplesOf(readPage(page)).length > 0,
)

const root = fileURLToPath(new URL('../../../', import.meta.url))

it.skipIf(!curl)(
  'every example of the documents prints what they say, pasted into a shell (needs curl)',
  { timeout: 240_000 },
  async () => {
    const storage = await createStorage()
    const folder = await mkdtemp(join(tmpdir(), 'documents-'))
    // With the model that a first start has.
    const { INFERENCE: _, ...env } = environmentOf(storage)
    const server = await startServerProcess(env)
    onTestFinished(async () => {
      server.kill('SIGKILL')
      await server.exited
      await storage.remove()
      await rm(folder, { recursive: true })
    })
    const asRun = (command: string) =>
      command
        .replaceAll('http://127.0.0.1:8787', server.url)
        .replaceAll(/npm run -s (audit|evaluate) --/g, (_, name) => `${process.execPath} ${root}src/main.ts ${name}`)
        .replaceAll(/(npx node )?examples\//g, (_, node) => `${node ? `${process.execPath} ` : ''}${root}examples/`)
    const banner =
      blocksOf(readPage('docs/operations.md')).find(({ text }) => text.startsWith('multimodal-retrieval'))?.text ?? ''
    // The values are from another deployment.
    const labels = (text: string) => [...text.matchAll(/^ {2}(.{9}) /gm)].map(([, label]) => label)
    expect(labels(server.stdout)).toEqual(labels(banner))
    expect(labels(banner)).toContain('data     ')
    expect(inOrder.length).toBeGreaterThan(6)
    for (const page of inOrder) {
      const examples = examplesOf(readPage(page))
      const prelude = page === first ? '' : tokens
      const reseeds = page === last ? 'export SVC_TOKEN=$ADMIN\n' : ''
      const script = prelude + reseeds + examples.map(({ command }) => `${asRun(command)}\necho; echo ----`).join('\n')
      const { stdout } = await run('bash', ['-euc', script], {
        cwd: folder,
        env: { ...process.env, SVC_URL: server.url },
      })
      const printed = stdout.split('----\n').map((text) => text.trim())
      for (const [i, { command, output }] of examples.entries()) {
        if (output !== null) expect.soft(printed[i], `${page}: ${command}`).toBe(output.trim())
      }
    }
    server.kill('SIGTERM')
    expect((await server.exited).code).toBe(0)
  },
)
