import { existsSync, readFileSync, statSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'

const dist = new URL('../../console/dist/', import.meta.url)
const manifestFile = new URL('.vite/manifest.json', dist)
const isBuilt = existsSync(manifestFile)

interface Chunk {
  file: string
  imports?: string[]
  css?: string[]
}

/** Files that the browser loads for these modules, with what they import. */
function filesOf(manifest: Record<string, Chunk>, modules: readonly string[]): string[] {
  const seen = new Set<string>()
  const visit = (name: string): string[] => {
    const chunk = manifest[name]
    if (chunk === undefined) throw new Error(`the build has no ${name}`)
    if (seen.has(name)) return []
    seen.add(name)
    return [chunk.file, ...(chunk.css ?? []), ...(chunk.imports ?? []).flatMap(visit)]
  }
  return [...new Set(modules.flatMap(visit))]
}

describe.skipIf(!isBuilt)(`the size of the console${isBuilt ? '' : ' (skipped: npm run build:console)'}`, () => {
  it.each(['welcome', 'search'])('is within its budget until %s is usable', (page) => {
    const manifest: Record<string, Chunk> = JSON.parse(readFileSync(manifestFile, 'utf8'))
    const files = filesOf(manifest, ['index.html', `src/pages/${page}/${page}-page.tsx`])
    const zipped = (ending: string) =>
      files
        .filter((file) => file.endsWith(ending))
        .reduce((total, file) => total + statSync(new URL(`${file}.gz`, dist)).size, 0)
    expect(zipped('.js')).toBeGreaterThan(50_000)
    expect(zipped('.js')).toBeLessThanOrEqual(200_000)
    expect(zipped('.css')).toBeLessThanOrEqual(40_000)
  })

  it.each([
    ['/welcome', 'welcome'],
    ['/search', 'search'],
    ['/access/keys', 'access'],
    ['/', 'start'],
  ])('asks for all parts of %s before its scripts run', (pathname, page) => {
    const manifest: Record<string, Chunk> = JSON.parse(readFileSync(manifestFile, 'utf8'))
    const html = readFileSync(new URL('index.html', dist), 'utf8')
    const first = readFileSync(new URL(`.${/<script src="([^"]+)"/.exec(html)?.[1]}`, dist), 'utf8')
    const asked = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file)
    const document = {
      createElement: () => ({}),
      head: { append: ({ href }: { href: string }) => asked.push(href.slice(1)) },
    }
    runInNewContext(first, { document, location: { pathname }, localStorage: { getItem: () => null } })
    expect(filesOf(manifest, ['index.html', `src/pages/${page}/${page}-page.tsx`]).filter(isMissing(asked))).toEqual([])
  })
})

const isMissing = (asked: readonly (string | undefined)[]) => (file: string) =>
  file.endsWith('.js') && !asked.includes(file)
