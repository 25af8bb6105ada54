import type { Format } from '../../../ports/format.ts'
import { isPackage } from '../ooxml/is-package.ts'

export const xlsx: Format = {
  name: 'an Excel workbook',
  extensions: ['xlsx', 'xlsm', 'xltx', 'xltm'],
  kind: 'binary',
  claims: isPackage('xl/'),
  load: async () => (await import('./read-xlsx.ts')).readXlsx,
}
