import { parseLimits } from '../../../model/parse-limits.ts'
import { modalities } from '../../../model/unit.ts'
import type { OpenFile, Structure } from '../../../ports/format.ts'
import { type GivenUnit, type ParsedUnit, ParseError } from '../../../ports/parser.ts'
import { linesOf } from '../lines/lines.ts'

/** Units as `POST /v1/ingest` takes them, one a line. A bad line fails the file. Empty lines are left out. */
export async function readJsonl(file: OpenFile): Promise<Structure> {
  const { text, charset } = await file.readText()
  const units: ParsedUnit[] = []
  let number = 0
  for (const { start, end } of linesOf(text)) {
    number++
    const line = text.slice(start, end)
    if (line.trim() === '') continue
    units.push(unitOf(line, number))
    if (units.length > parseLimits.units) throw new ParseError('too_many_units', 'The file has more than 10,000 Units.')
  }
  return { mime: 'application/jsonl', text, textIsFile: true, charset, blocks: [], units, attachments: [] }
}

function unitOf(line: string, number: number): ParsedUnit {
  const given = objectOf(line)
  if (!given) throw new ParseError('malformed', `Line ${number} is not a JSON object.`)
  const modality = modalities.find((known) => known === (given.modality ?? 'text'))
  if (!modality) throw new ParseError('malformed', `Line ${number} is not a Unit: its modality is unknown.`)
  return {
    modality,
    text: typeof given.text === 'string' ? given.text : null,
    ...{ title: null, locator: null, metadata: {}, given },
  }
}

function objectOf(line: string): GivenUnit | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as GivenUnit) : null
  } catch {
    return null
  }
}
