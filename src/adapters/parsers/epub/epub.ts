import type { Format } from '../../../ports/format.ts'
import { readDirectory } from '../archive/directory.ts'

export const epub: Format = {
  name: 'an EPUB book',
  extensions: ['epub'],
  kind: 'binary',
  claims: async (file) => {
    const entries = await readDirectory(file)
    return (entries ?? []).some(({ name }) => name === 'META-INF/container.xml')
  },
  load: async () => (await import('./read-epub.ts')).readEpub,
}
