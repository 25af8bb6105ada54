/**
 * Runs npm with its arguments, which end in Vitest. A run that fails is made once more: of the test files that failed,
 * or, where no file can be blamed, of all of them. What fails twice stands. A run that never ends is stopped, with all
 * that it started.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { failedFiles } from './failed-files.ts'
import { isPlatformAbort } from './platform-abort.ts'

async function run(args: readonly string[]): Promise<{ code: number; output: string }> {
  const child = spawn('timeout', ['--kill-after=10', '30m', 'npm', ...args], {
    stdio: ['inherit', 'pipe', 'pipe'],
  })
  let output = ''
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from.setEncoding('utf8').on('data', (text: string) => {
      output += text
      to.write(text)
    })
  }
  const [code] = await once(child, 'close')
  return { code: code ?? 1, output }
}

/** The same run, of these files alone. */
function narrowed(args: readonly string[], files: readonly string[]): string[] {
  const others = args.filter((arg) => !arg.endsWith('.test.ts'))
  return [...others, ...(others.includes('--') ? [] : ['--']), ...files]
}

const args = process.argv.slice(2)
let { code, output } = await run(args)
if (code !== 0) {
  const files = failedFiles(output)
  if (isPlatformAbort(output)) console.log('V8 aborted a test process (nodejs/node#64500), and no test failed')
  console.log(files === null ? 'once more, all of it' : `once more: ${files.join(' ')}`)
  code = (await run(files === null ? args : narrowed(args, files))).code
  if (code === 0 && files !== null) console.log(`passed only the second time, by chance: ${files.join(' ')}`)
}
process.exitCode = code
