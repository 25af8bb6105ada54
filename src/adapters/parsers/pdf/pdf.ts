import type { Format } from '../../../ports/format.ts'

export const pdf: Format = {
  name: 'a PDF document',
  extensions: ['pdf'],
  kind: 'binary',
  // Readers of PDF accept other bytes before the mark.
  claims: ({ head }) => Buffer.from(head.subarray(0, 1024)).includes('%PDF-'),
  load: async () => (await import('./read-pdf.ts')).readPdf,
}
