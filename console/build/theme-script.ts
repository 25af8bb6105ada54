import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

/** Puts `src/styles/theme.js` into the page as a script that blocks: the chosen theme stands before the first paint. */
export function themeScript(): Plugin {
  const source = readFileSync(new URL('../src/styles/theme.js', import.meta.url), 'utf8')
  const fileName = `assets/theme-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`
  return {
    name: 'theme-script',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source })
    },
    transformIndexHtml: (html) => ({
      html,
      tags: [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head-prepend' }],
    }),
  }
}
