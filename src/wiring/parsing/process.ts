import { Worker } from 'node:worker_threads'
import { answerCalls } from '../../async/calls.ts'
import { ParseError } from '../../ports/parser.ts'
import type { ParserCalls, Reply, Request, Rest, WatchdogData } from './messages.ts'
import { pagePictures } from './page-pictures.ts'
import { parseFile } from './parse-file.ts'
import { withStorableFields } from './storable.ts'

// A process that parses files, one at a time. A file that exhausts its memory or its time takes nothing else with it.

const workerData: WatchdogData = { parent: process.ppid, maxBytes: Number(process.argv[2]) }
new Worker(new URL('./watchdog.ts', import.meta.url), { workerData }).unref()

async function answer(request: Request): Promise<Reply> {
  try {
    const { file, pages } = request
    const result = await (pages ? pagePictures(file, pages) : parseFile(file))
    if (Array.isArray(result)) return { result, more: false, memory: process.memoryUsage.rss() }
    left = { text: result.text ?? '', units: result.units }
    const { more, units, text } = nextPart()
    const part = { ...result, units, text: result.text === null ? null : text }
    return { result: part, more, memory: process.memoryUsage.rss() }
  } catch (error) {
    const { reason, detail } = error instanceof ParseError ? error : internal
    return { reason, detail, memory: process.memoryUsage.rss() }
  }
}

/** Characters of a message. */
const partLength = 4_000_000

/** What has not been sent yet. */
let left: Pick<Rest, 'text' | 'units'> = { text: '', units: [] }

function nextPart(): Rest {
  const text = left.text.slice(0, partLength)
  let [count, length] = [0, text.length]
  while (count < left.units.length && length < partLength) length += left.units[count++]?.text?.length ?? 0
  // Only now: until then their texts are parts of the file's.
  const units = left.units.slice(0, count).map(withStorableFields)
  left = { text: left.text.slice(partLength), units: left.units.slice(count) }
  return { text, units, more: left.text !== '' || left.units.length > 0 }
}

const internal = { reason: 'internal', detail: 'The file could not be parsed.' } as const

answerCalls<ParserCalls>({ parse: answer, rest: nextPart })
process.on('disconnect', () => process.exit())
