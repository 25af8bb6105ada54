import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findCycle, type Import, importsOf } from './support/texts/imports.ts'

/** Which layers a layer may import, besides itself. What stands at the root of `src` wires everything. */
const allowed: Record<string, readonly string[]> = {
  model: [],
  errors: [],
  async: [],
  ports: ['model'],
  operations: ['domain', 'model'],
  domain: ['operations', 'model', 'ports', 'errors', 'async'],
  adapters: ['model', 'ports', 'errors', 'async', 'version'],
  graphql: ['operations', 'domain', 'model', 'errors', 'ports', 'async'],
  http: ['operations', 'model', 'errors', 'async'],
  version: [],
  // It checks files without the service, and speaks to the service as any client does.
  cli: ['model', 'version', 'async'],
}

const layerOf = (path: string) => /^src\/([^/.]+)/.exec(path)?.[1] ?? ''
const isWiring = (path: string) =>
  /^src\/([^/]+|(settings|wiring)\/.+|cli\/(backup|model|operator|restore|seed|transfer)\/command\.ts)$/.test(path) &&
  !['src/errors.ts', 'src/version.ts'].includes(path)
const adapterOf = (path: string) => /^src\/adapters\/([^/]+)/.exec(path)?.[1]
/** What adapters share: how they treat services that fail, and how they run models on this machine. They import no other. */
const sharedAdapters = ['resilience', 'local-models']
/** The port of the catalog takes its types from the one implementation: the text of an operation stands beside its SQL. */
const isCatalogType = ({ from, to }: Import) =>
  from === 'src/ports/catalog.ts' && to.startsWith('src/adapters/catalog/sql/')
const isAcceptance = ({ from }: Import) => from.startsWith('test/acceptance/')

function isForbidden(link: Import): boolean {
  const { from, to, internal } = link
  if (!internal || isWiring(from) || isCatalogType(link)) return false
  if (!to.startsWith('src/') || isWiring(to)) return true
  const [source, target] = [layerOf(from), layerOf(to)]
  if (source === target) return ![adapterOf(from), ...sharedAdapters].includes(adapterOf(to))
  return !(allowed[source] ?? []).includes(target)
}

/** The layers whose folders may not import each other in a circle. What stands at a layer's root is a folder, too. */
const rooms = ['adapters', 'cli', 'domain', 'graphql', 'http', 'ports']

const folderLinks = (imports: readonly Import[], room: string): Import[] => {
  const isInside = (path: string) => path.startsWith(`src/${room}/`)
  return imports
    .filter(({ from, to, internal }) => internal && isInside(from) && isInside(to))
    .map(({ from, to }) => ({ from: dirname(from), to: dirname(to), internal: true }))
    .filter(({ from, to }) => from !== to)
}

/** The layers as docs/architecture.md draws them: a line `layer -> layer, layer` each. */
function drawing(): Record<string, string[]> {
  const page = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')
  const block = /^```layers\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? ''
  const lines = block.trim().split('\n')
  return Object.fromEntries(
    lines.map((line) => {
      const [layer = '', targets = ''] = line.split('->')
      return [layer.trim(), targets.split(',').flatMap((target) => target.trim() || [])]
    }),
  )
}

const edges = (layers: Record<string, readonly string[]>) =>
  Object.entries(layers).flatMap(([layer, targets]) => targets.map((target) => `${layer} -> ${target}`))

describe('architecture', async () => {
  const imports = await importsOf('src')

  it('reads the tree', () => {
    expect(imports.length).toBeGreaterThan(100)
    expect([...new Set(imports.map(({ from }) => layerOf(from)))]).toEqual(
      expect.arrayContaining(Object.keys(allowed).filter((layer) => layer !== 'errors')),
    )
  })

  it('lets each layer import only what the table allows', () => {
    expect(imports.filter(isForbidden).map(({ from, to }) => `${from} -> ${to}`)).toEqual([])
  })

  it('lets operations import of the domain the rules of their input alone', () => {
    const others = imports.filter(
      ({ from, to }) => layerOf(from) === 'operations' && layerOf(to) === 'domain' && !/-input\.ts$|\/input\//.test(to),
    )
    expect(others).toEqual([])
  })

  it('would notice a breach', () => {
    const breach = (from: string, to: string) => isForbidden({ from, to, internal: true })
    expect(breach('src/domain/x.ts', 'src/adapters/kv/y.ts')).toBe(true)
    expect(breach('src/adapters/kv/x.ts', 'src/adapters/catalog/y.ts')).toBe(true)
    expect(breach('src/adapters/kv/x.ts', 'src/adapters/resilience/y.ts')).toBe(false)
    expect(breach('src/adapters/resilience/x.ts', 'src/adapters/kv/y.ts')).toBe(true)
    expect(breach('src/http/x.ts', 'src/domain/y.ts')).toBe(true)
    expect(breach('src/domain/x.ts', 'src/config.ts')).toBe(true)
    expect(breach('src/runtime.ts', 'src/adapters/kv/y.ts')).toBe(false)
  })

  it('is drawn in docs/architecture.md as the table and the imports have it', () => {
    const drawn = drawing()
    expect(Object.keys(drawn).sort()).toEqual(Object.keys(allowed).sort())
    expect(edges(drawn).sort()).toEqual(edges(allowed).sort())
    const used = imports
      .filter((link) => link.internal && !isWiring(link.from) && !isCatalogType(link))
      .filter(({ from, to }) => layerOf(from) !== layerOf(to))
      .map(({ from, to }) => `${layerOf(from)} -> ${layerOf(to)}`)
    expect(edges(drawn).sort()).toEqual([...new Set(used)].sort())
  })

  it('lets the port of the catalog take types alone', () => {
    const ports = [...new Set(imports.filter(isCatalogType).map(({ from }) => from))]
    expect(ports.length).toBeGreaterThan(0)
    const statement = /^(?:import|export) (?!type)(?:\{[^}]*\}|[\w*]+) from/m
    expect(ports.filter((file) => statement.test(readFileSync(file, 'utf8')))).toEqual([])
  })

  it('has no import cycles', () => {
    expect(findCycle(imports)).toBeNull()
    const link = (from: string, to: string) => ({ from, to, internal: true })
    expect(findCycle([link('a', 'b'), link('b', 'c'), link('c', 'a')])).toEqual(['a', 'b', 'c', 'a'])
  })

  it('has no import cycles in the console', async () => {
    const console = await importsOf('console/src')
    expect(console.length).toBeGreaterThan(100)
    expect(findCycle(console)).toBeNull()
  })

  it.each(rooms)('has no import cycles between the folders of %s', (room) => {
    const links = folderLinks(imports, room)
    expect(links.length).toBeGreaterThan(0)
    expect(findCycle(links)).toBeNull()
  })

  it('would notice a cycle of folders whose files make none', () => {
    const link = (from: string, to: string) => ({ from: `src/domain/${from}`, to: `src/domain/${to}`, internal: true })
    const links = [link('a/top.ts', 'b/one.ts'), link('b/other.ts', 'a/base.ts')]
    expect(findCycle(links)).toBeNull()
    expect(findCycle(folderLinks(links, 'domain'))).toEqual(['src/domain/a', 'src/domain/b', 'src/domain/a'])
  })

  it('keeps the environment in config.ts and vendor SDKs in adapters', () => {
    const catalog = ['pg', '@prisma/adapter-pg', '@electric-sql/pglite']
    const models = ['ai', '@ai-sdk/openai-compatible', '@pinecone-database/pinecone']
    const vendors = ['@aws-sdk/client-s3', '@redis/client', 'meilisearch', 'meilisearch/token', 'stripe']
    const strays = imports.filter(
      ({ from, to }) => [...catalog, ...models, ...vendors].includes(to) && layerOf(from) !== 'adapters',
    )
    expect(strays).toEqual([])
  })

  it('keeps raw SQL in its room, and the drivers of the database where it is opened and observed', async () => {
    const raw = /\$(query|execute)Raw|Prisma\.(sql|raw|join)\b/
    const found: string[] = []
    for await (const file of glob('src/**/*.ts', { exclude: (name) => name === 'generated' })) {
      if (raw.test(readFileSync(file, 'utf8'))) found.push(file)
    }
    expect(found.length).toBeGreaterThan(10)
    expect(found.filter((file) => !file.startsWith('src/adapters/catalog/sql/'))).toEqual([])
    const drivers = imports.filter(({ to }) => ['pg', '@prisma/adapter-pg', '@electric-sql/pglite'].includes(to))
    const usesDrivers = /^src\/adapters\/catalog\/(connection|memory)\//
    expect(drivers.filter(({ from }) => !usesDrivers.test(from))).toEqual([])
  })

  it('asks a page again until it answers so: a browser shows a change after the request that caused it', async () => {
    const once: string[] = []
    for await (const file of glob('test/console/*.long.test.ts')) {
      const lines = readFileSync(file, 'utf8').split('\n')
      // What a request carried does not change any more.
      const asksOnce = /expect\((await (?!.*headerValue)|\[?(new URL\()?\w+\.url\(\))/
      once.push(...lines.filter((line) => asksOnce.test(line)).map((line) => `${file}: ${line}`))
    }
    expect(once).toEqual([])
  })

  it('keeps acceptance tests outside the application', async () => {
    const tests = await importsOf('test')
    const reached = new Set(tests.filter(isAcceptance).map(({ to }) => to))
    // A set grows while it is walked: what support files import is looked at too.
    for (const file of reached) for (const { from, to } of tests) if (from === file) reached.add(to)
    expect([...reached].filter((file) => file.startsWith('src/'))).toEqual([])
    expect(reached).toContain('test/support/process/server-process.ts')
  })
})
