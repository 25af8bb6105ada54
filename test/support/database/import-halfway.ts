import { readFileSync } from 'node:fs'
import { readConfig } from '../../../src/config.ts'
import { openTransfer } from '../../../src/wiring/transfer.ts'

// Imports a file under the given settings (JSON), stops before its last lines, reports that, and waits to be killed.
const [, , file = '', settings = '{}'] = process.argv
const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
const transfer = await openTransfer(readConfig(JSON.parse(settings)))
let readings = 0
await transfer.import({
  lines: async function* () {
    readings += 1
    if (readings === 1) yield lines
    else {
      yield lines.slice(0, -2)
      console.log('halfway')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    }
  },
})
