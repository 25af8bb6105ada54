import type { Format } from '../../ports/format.ts'
import { pdf } from './pdf/pdf.ts'

/** Reads every text that is no other format. */
export const plainText: Format = {
  name: 'a text',
  kind: 'text',
  extensions: ['txt', 'text'],
  load: async () => (await import('./text/read-text.ts')).readText,
}

/**
 * The formats, a row each. Content decides first: the first row that claims a file reads it. Then the extension does.
 * A new format is a folder beside this file, and a row here.
 */
export const formats: readonly Format[] = [pdf, plainText]
