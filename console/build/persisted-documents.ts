import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Writes `persisted-documents.json`: the texts of all GraphQL documents by their SHA-256, for the service. */
export function persistedDocuments(): Plugin {
  let root = ''
  return {
    name: 'persisted-documents',
    apply: 'build',
    configResolved(config) {
      root = config.root
    },
    async generateBundle() {
      const all: Record<string, string> = {}
      for await (const path of glob('src/**/generated/persisted-documents.json', { cwd: root })) {
        const texts: Record<string, string> = JSON.parse(await readFile(join(root, path), 'utf8'))
        for (const [id, text] of Object.entries(texts)) all[id.replace(/^sha256:/, '')] = text
      }
      this.emitFile({ type: 'asset', fileName: 'persisted-documents.json', source: JSON.stringify(all) })
    },
  }
}
