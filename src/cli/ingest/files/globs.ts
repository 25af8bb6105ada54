import { matchesGlob } from 'node:path'

/**
 * Whether a path below a folder matches one of the globs, or lies in a folder that does. A glob without a slash is a
 * name at any depth.
 */
export function matchesAny(globs: readonly string[], path: string): boolean {
  const names = path.split('/')
  return globs.some((glob) => {
    const plain = glob.replace(/^(\.?\/)+/, '').replace(/\/+$/, '')
    const anchored = plain.includes('/') || /^\.?\//.test(glob)
    return names.some((name, i) => matchesGlob(anchored ? names.slice(0, i + 1).join('/') : name, plain))
  })
}
