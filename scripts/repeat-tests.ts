import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Of what vitest writes as JSON. */
interface Outcome {
  success: boolean
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string }[]
  }[]
}

/** Runs the tests again and again, several runs at once if the machine is to be busy, and counts what fails. */
const [times = '10', atOnce = '1', ...args] = process.argv.slice(2)
const folder = mkdtempSync(join(process.cwd(), 'node_modules/.repeat-'))
const failures = new Map<string, number>()
let [started, green] = [0, 0]

async function lane(): Promise<void> {
  while (started < Number(times)) {
    started += 1
    const run = started
    const file = join(folder, `${run}.json`)
    const began = performance.now()
    const child = spawn('vitest', ['run', '--reporter=json', `--outputFile=${file}`, ...args], { stdio: 'ignore' })
    const [code] = await once(child, 'exit')
    const failed = code === 0 ? [] : failedIn(file)
    if (code === 0) green += 1
    for (const name of failed) failures.set(name, (failures.get(name) ?? 0) + 1)
    const seconds = Math.round((performance.now() - began) / 1000)
    console.log([`run ${run}: ${code === 0 ? 'passed' : 'failed'} in ${seconds} s`, ...failed].join('\n  '))
  }
}

function failedIn(file: string): string[] {
  const { testResults }: Outcome = JSON.parse(readFileSync(file, 'utf8'))
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed').map((test) => `${name}: ${test.fullName}`)
    return tests.length > 0 || status !== 'failed' ? tests : [`${name}: ${message}`]
  })
}

try {
  await Promise.all(Array.from({ length: Number(atOnce) }, lane))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(`${started} runs, ${started - green} failed`)
for (const [name, count] of [...failures].sort(([, a], [, b]) => b - a)) console.log(`${count} of ${started}: ${name}`)
process.exit(green === started ? 0 : 1)
