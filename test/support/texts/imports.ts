import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { parseSync } from 'oxc-parser'

/** One import in the source tree; paths are relative to the project. `to` is a package name when it is not a file. */
export interface Import {
  from: string
  to: string
  internal: boolean
}

/** Every static and literal dynamic import below `root`. */
export async function importsOf(root: string): Promise<Import[]> {
  const found: Import[] = []
  for await (const file of glob(`${root}/**/*.{ts,tsx}`, {
    exclude: (name) => name === 'generated' || name === 'assembly',
  })) {
    const { module, errors } = parseSync(file, readFileSync(file, 'utf8'))
    if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
    const specifiers = [
      ...module.staticImports.map((i) => i.moduleRequest.value),
      ...module.staticExports.flatMap((e) => e.entries.flatMap((entry) => entry.moduleRequest?.value ?? [])),
    ]
    for (const specifier of new Set(specifiers)) found.push(resolve(file, specifier))
  }
  return found
}

function resolve(file: string, specifier: string): Import {
  const internal = specifier.startsWith('.')
  return { from: normalize(file), to: internal ? normalize(join(dirname(file), specifier)) : specifier, internal }
}

/** The files of one import cycle, in order; null if there is no cycle. */
export function findCycle(imports: readonly Import[]): string[] | null {
  const next = new Map<string, string[]>()
  for (const { from, to, internal } of imports) if (internal) next.set(from, [...(next.get(from) ?? []), to])
  const done = new Set<string>()
  const visit = (file: string, trail: string[]): string[] | null => {
    const at = trail.indexOf(file)
    if (at >= 0) return [...trail.slice(at), file]
    if (done.has(file)) return null
    for (const target of next.get(file) ?? []) {
      const cycle = visit(target, [...trail, file])
      if (cycle) return cycle
    }
    done.add(file)
    return null
  }
  for (const file of next.keys()) {
    const cycle = visit(file, [])
    if (cycle) return cycle
  }
  return null
}
