import type { Format } from '../../../ports/format.ts'

export const notebook: Format = {
  name: 'a notebook',
  extensions: ['ipynb'],
  kind: 'text',
  load: async () => (await import('./read-notebook.ts')).readNotebook,
}
