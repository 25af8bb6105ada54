import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Plugin, Rollup } from 'vite'

/**
 * Puts a script before all else into the page. It blocks: the chosen theme stands before the first paint. And it asks for the
 * parts of the page in the URL beside the router, which would ask for them only once it runs.
 */
export function firstScript(): Plugin {
  const theme = readFileSync(new URL('../src/styles/theme.js', import.meta.url), 'utf8')
  return {
    name: 'first-script',
    apply: 'build',
    generateBundle: {
      // Once the page and all names are there.
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((one) => one.type === 'chunk')
        const first = filesOf(
          chunks.filter(({ isEntry }) => isEntry),
          bundle,
        )
        const pages = chunks.flatMap((chunk) => {
          const name = /\/pages\/([\w-]+)\/\1-page\.tsx$/.exec(chunk.facadeModuleId ?? '')?.[1]
          const files = [...filesOf([chunk], bundle)].filter((file) => !first.has(file))
          return name === undefined ? [] : [[name, files] as const]
        })
        const source = theme + preload(Object.fromEntries(pages))
        const fileName = `assets/first-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`
        this.emitFile({ type: 'asset', fileName, source })
        const page = bundle['index.html']
        if (page?.type !== 'asset') throw new Error('the build has no page')
        page.source = String(page.source).replace('<head>', `<head>\n    <script src="/${fileName}"></script>`)
      },
    },
  }
}

/** The files of chunks with all that they import. */
function filesOf(chunks: readonly Rollup.OutputChunk[], bundle: Rollup.OutputBundle, seen = new Set<string>()) {
  for (const { fileName, imports } of chunks) {
    if (seen.has(fileName)) continue
    seen.add(fileName)
    const imported = imports.map((name) => bundle[name]).filter((one) => one?.type === 'chunk')
    filesOf(imported, bundle, seen)
  }
  return seen
}

const preload = (pages: Record<string, string[]>) => `
for (const href of ${JSON.stringify(pages)}[location.pathname.split('/')[1] || 'start'] ?? [])
  document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', crossOrigin: '', href: '/' + href }))
`
