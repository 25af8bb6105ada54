import type { Format } from '../../ports/format.ts'
import { pdf } from './pdf/pdf.ts'
import { textFormats } from './text-formats.ts'

/**
 * The formats. Content decides first: the first one that claims a file reads it. Then the extension does. A new format
 * is a folder beside this file, and a line here.
 */
export const formats: readonly Format[] = [pdf, ...textFormats]
