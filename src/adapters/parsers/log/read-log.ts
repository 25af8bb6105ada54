import { parseLimits } from '../../../model/parse-limits.ts'
import type { OpenFile, Structure } from '../../../ports/format.ts'
import { type ParsedUnit, ParseError } from '../../../ports/parser.ts'
import { Drain, type Template } from './drain.ts'
import { timeOf, tokensOf } from './log-line.ts'
import { charsetOfStream, readLines } from './read-lines.ts'

const maxMessage = 4_000
const maxExample = 1_000

/** A log as the templates of its lines. It is read as a stream: a log may be larger than the memory. */
export async function readLog(file: OpenFile): Promise<Structure> {
  const charset = await charsetOfStream(file)
  const drain = new Drain()
  let number = 0
  for await (const lines of readLines(file, charset)) {
    for (const line of lines) addLine(drain, line, ++number)
    if (drain.templates.length > parseLimits.units) {
      throw new ParseError('too_many_units', 'The log has more than 10,000 templates.')
    }
  }
  const units = drain.templates.map(unitOf)
  return { mime: 'text/plain', text: null, textIsFile: true, charset, blocks: [], units, attachments: [] }
}

function addLine(drain: Drain, line: string, number: number): void {
  const message = line.slice(0, maxMessage).trimEnd()
  if (message.trim() === '') return
  const found = timeOf(message)
  const time = found?.time ?? null
  const template = drain.add(tokensOf(found?.rest ?? message), () => ({
    ...{ line: number, example: message.slice(0, maxExample).toWellFormed(), firstTime: time, lastTime: time },
  }))
  template.firstTime ??= time
  template.lastTime = time ?? template.lastTime
}

const unitOf = ({ tokens, count, line, example, firstTime, lastTime }: Template): ParsedUnit => ({
  modality: 'log_template',
  text: tokens.join(' ').toWellFormed(),
  title: null,
  locator: { kind: 'line_range', start: line, end: line },
  metadata: {
    count,
    example,
    ...(firstTime !== null && { first_time: firstTime }),
    ...(lastTime !== null && { last_time: lastTime }),
  },
})
