import type { Format } from '../../../ports/format.ts'
import { isPackage } from '../ooxml/is-package.ts'

export const pptx: Format = {
  name: 'a PowerPoint presentation',
  extensions: ['pptx', 'pptm', 'ppsx', 'potx'],
  kind: 'binary',
  claims: isPackage('ppt/'),
  load: async () => (await import('./read-pptx.ts')).readPptx,
}
