import type { Format } from '../../ports/format.ts'
import { docx } from './docx/docx.ts'
import { email } from './email/email.ts'
import { epub } from './epub/epub.ts'
import { notebook } from './notebook/notebook.ts'
import { lockedOffice } from './ooxml/locked.ts'
import { pdf } from './pdf/pdf.ts'
import { picture } from './picture/picture.ts'
import { pptx } from './pptx/pptx.ts'
import { recording } from './recording/recording.ts'
import { textFormats } from './text-formats.ts'
import { xlsx } from './xlsx/xlsx.ts'

/**
 * The formats. Content decides first: the first one that claims a file reads it. Then the extension does. A new format
 * is a folder beside this file, and a line here.
 */
export const formats: readonly Format[] = [
  pdf,
  docx,
  pptx,
  xlsx,
  epub,
  lockedOffice,
  picture,
  recording,
  email,
  notebook,
  ...textFormats,
]
