import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkLocators } from '../../support/documents/check-locators.ts'
import { createTestParser, type TestParser } from '../../support/documents/parse.ts'

const folder = new URL('../../../../shared/data/files/', import.meta.url)
const folders = [
  ...['audio', 'csv', 'docx', 'email', 'epub', 'html', 'image', 'md', 'pdf-as-markdown', 'pptx', 'webvtt', 'xlsx'],
]
describe.skipIf(!existsSync(folder))('files of many formats (skipped where ../shared/data/files is absent)', () => {
  let parser: TestParser
  beforeAll(async () => {
    parser = await createTestParser()
  })
  afterAll(() => parser[Symbol.asyncDispose]())

  it.each(folders)('reads every file of %s, and each Unit leads to its place', async (name) => {
    const files = readdirSync(new URL(`${name}/`, folder))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const bytes = readFileSync(new URL(`${name}/${file}`, folder))
      const parsed = await parser.parseBytes(file, bytes)
      expect(parsed.units.length).toBeGreaterThan(0)
      checkLocators(parsed, bytes)
    }
  })
})
