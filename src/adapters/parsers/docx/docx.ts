import type { Format } from '../../../ports/format.ts'
import { isPackage } from '../ooxml/is-package.ts'

export const docx: Format = {
  name: 'a Word document',
  extensions: ['docx', 'docm', 'dotx', 'dotm'],
  kind: 'binary',
  claims: isPackage('word/'),
  load: async () => (await import('./read-docx.ts')).readDocx,
}
