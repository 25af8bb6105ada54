import { expect } from 'vitest'
import type { ParsedFile } from '../../../src/ports/parser.ts'

/** The rendition of a parsed file: what was extracted, or the file itself, decoded. */
const renditionOf = ({ text, textIsFile, charset }: ParsedFile, bytes: Uint8Array): string | null =>
  textIsFile ? new TextDecoder(charset ?? 'utf-8').decode(bytes) : text

/** Checks that each Unit's locator leads to its text: the slice, the lines (after a header line), the time. */
export function checkLocators(parsed: ParsedFile, bytes: Uint8Array): void {
  const rendition = renditionOf(parsed, bytes) ?? ''
  const lines = rendition.split('\n').map((line) => line.replace(/\r$/, ''))
  for (const { locator, text, modality, title } of parsed.units) {
    expect((title ?? '').length).toBeLessThanOrEqual(1024)
    expect(text?.trim()).not.toBe('')
    if (locator?.kind === 'char_span') {
      const slice = rendition.slice(locator.start, locator.end)
      // The header of a table stands somewhere above its rows.
      const above = (text ?? '').endsWith(slice) ? (text ?? '').slice(0, -slice.length) : text
      expect(rendition.slice(0, locator.start)).toContain(above)
    }
    if (locator?.kind === 'time_range') expect(locator.tEndMs).toBeGreaterThanOrEqual(locator.tStartMs)
    if (locator?.kind !== 'line_range' || modality === 'log_template') continue
    const own = lines.slice(locator.start - 1, locator.end)
    // A record stands there as its members, which are not written so.
    if (parsed.mime === 'application/jsonl') {
      expect(own.length).toBe(locator.end - locator.start + 1)
      continue
    }
    const found = (text ?? '').split(/\r?\n/)
    // Only a line that nobody reads is cut.
    if (own.some((line) => line.length > 8_000)) {
      expect(own.join('\n')).toContain(found.at(-1)?.trim())
      continue
    }
    // A workbook has a header for each table, of one or more lines, somewhere above its rows.
    while (found.length > own.length) expect(lines.slice(0, locator.start - 1)).toContain(found.shift())
    expect(found.map((line) => line.trim())).toEqual(own.map((line) => line.trim()))
  }
}
