import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseLimits } from '../../../src/model/parse-limits.ts'
import { checkLocators } from '../../support/documents/check-locators.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

/** What a file must come to. `README.md` beside the cases says what each member means. */
interface Expected {
  has?: string[]
  lacks?: string[]
  each?: [string, string][]
  rows?: string[][]
  near?: [string, string][]
  few?: [string, number][]
  children?: number
  status?: string
}

const folder = new URL('../../../../shared/data/cases/files/', import.meta.url)
const isHere = existsSync(folder)
const cases: Record<string, Expected> = isHere ? JSON.parse(readFileSync(new URL('expected.json', folder), 'utf8')) : {}

const title = `small files of known complaints${isHere ? '' : ' (skipped: ../shared/data/cases/files is not here)'}`

describe.skipIf(!isHere)(title, () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  it('are the cases that are described', () => {
    expect(readdirSync(folder).filter((name) => name !== 'expected.json')).toEqual(Object.keys(cases).sort())
  })

  const check = async (
    { has = [], lacks = [], each = [], rows = [], near = [], few = [], ...rest }: Expected,
    name: string,
  ) => {
    const { texts, children } = await textsOf(parser, name, readFileSync(new URL(name, folder)))
    const holding = (part: string) => texts.filter((text) => text.includes(part))
    for (const part of has) expect(holding(part), part).not.toEqual([])
    for (const part of lacks) expect(holding(part), part).toEqual([])
    for (const [part, beside] of each) for (const text of holding(part)) expect(text).toContain(beside)
    const lines = texts.flatMap((text) => text.split('\n'))
    for (const cells of rows)
      expect(
        lines.some((line) => isInOrder(line, cells)),
        cells.join(' … '),
      ).toBe(true)
    for (const [part, beside] of near) expect(holding(part).filter((text) => text.includes(beside))).not.toEqual([])
    for (const [part, most] of few) expect(holding(part).length, part).toBeLessThanOrEqual(most)
    expect(children).toBeGreaterThanOrEqual(rest.children ?? 0)
  }

  it.each(Object.entries(cases))('%s', (name, expected) => check(expected, name))
})

/** The texts of the Units of a file and of the documents below it, and how many of those there are. */
async function textsOf(
  parser: TestParser,
  name: string,
  bytes: Uint8Array,
  level = 1,
): Promise<{ texts: string[]; children: number }> {
  const parsed = await parser.parseBytes(name, bytes)
  checkLocators(parsed, bytes)
  const below = level < parseLimits.levels ? parsed.attachments : []
  const inside: { texts: string[]; children: number }[] = []
  for (const each of below) inside.push(await textsOf(parser, each.name, each.bytes, level + 1))
  return {
    texts: [...parsed.units.flatMap(({ text }) => text ?? []), ...inside.flatMap(({ texts }) => texts)],
    children: below.length + inside.reduce((sum, { children }) => sum + children, 0),
  }
}

function isInOrder(line: string, parts: readonly string[]): boolean {
  let from = 0
  for (const part of parts) {
    const at = line.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return true
}
