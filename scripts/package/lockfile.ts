/**
 * Removes from package-lock.json what dependencies say about Node where they ask for a newer one than `engines` of package.json
 * does: npm would warn of each, on every install. What the service uses of them is tested on the oldest Node, and a
 * checkout runs on the one that it installs. npm leaves out what is not there, until the dependency changes.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../../package-lock.json', import.meta.url)
const lock: { packages: Record<string, { engines?: { node?: string }; optional?: boolean }> } = JSON.parse(
  readFileSync(file, 'utf8'),
)
const majorOf = (range: string) => Number(/\d+/.exec(range)?.[0] ?? 0)
const oldest = majorOf(lock.packages['']?.engines?.node ?? '')

let removed = 0
for (const [path, entry] of Object.entries(lock.packages)) {
  const alternatives = entry.engines?.node?.split('||') ?? []
  const isNewer = alternatives.length > 0 && alternatives.every((range) => majorOf(range) > oldest)
  // npm leaves out optional ones that do not fit, without a word.
  if (path === '' || !isNewer || entry.optional) continue
  delete entry.engines
  removed += 1
}
if (removed > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
