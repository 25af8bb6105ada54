/**
 * Runs npm with its arguments, which end in Vitest. The run is made once more only if V8 itself aborted a test process
 * (`platform-abort.ts`): nodejs/node#64500 is open in every release of Node 24. A run that never ends is stopped, with
 * all that it started.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isPlatformAbort } from './platform-abort.ts'

async function run(): Promise<{ code: number; output: string }> {
  const child = spawn('timeout', ['--kill-after=10', '30m', 'npm', ...process.argv.slice(2)], {
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

let { code, output } = await run()
if (code !== 0 && isPlatformAbort(output)) {
  console.log('V8 aborted a test process (nodejs/node#64500), and no test failed: once more')
  code = (await run()).code
}
process.exitCode = code
