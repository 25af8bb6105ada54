/**
 * `npm run release -- patch|minor|major [--dry-run]`: writes the version, the changelog and the data of `test/upgrades`,
 * commits and tags. It refuses, and says why, when the release would not be one.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { writeFixture } from './release/fixture.ts'
import { kinds, nextVersion, releasedChangelog, unreleased } from './release/versions.ts'

class RefusedError extends Error {}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
const passes = (script: string): boolean =>
  spawnSync('npm', ['run', '--silent', script], { stdio: 'inherit' }).status === 0

async function release(args: readonly string[]): Promise<string> {
  const dryRun = args.includes('--dry-run')
  const [word, ...others] = args.filter((arg) => arg !== '--dry-run')
  const kind = kinds.find((one) => one === word)
  if (kind === undefined || others.length > 0)
    throw new RefusedError('npm run release -- patch|minor|major [--dry-run]')
  if (git('status', '--porcelain') !== '') throw new RefusedError('the tree is dirty; commit first')
  const branch = git('branch', '--show-current')
  if (branch !== 'main') throw new RefusedError(`releases are made on main, and this is ${branch}`)
  const changelog = readFileSync('CHANGELOG.md', 'utf8')
  if (unreleased(changelog) === '') throw new RefusedError('"Unreleased" in CHANGELOG.md is empty')
  for (const script of ['check', 'test']) if (!passes(script)) throw new RefusedError(`npm run ${script} fails`)
  const version = nextVersion(JSON.parse(readFileSync('package.json', 'utf8')).version, kind)
  if (dryRun) return `would release ${version}`
  writeFileSync('CHANGELOG.md', releasedChangelog(changelog, version, new Date().toISOString().slice(0, 10)))
  execFileSync('npm', ['version', version, '--no-git-tag-version', '--ignore-scripts'], { stdio: 'ignore' })
  await writeFixture(version)
  git('add', '--all')
  git('commit', '--quiet', '--message', `release: ${version}`)
  git('tag', '--annotate', `v${version}`, '--message', `v${version}`)
  return `released ${version}; git push --follow-tags`
}

try {
  console.log(await release(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof RefusedError)) throw error
  console.error(`release: ${error.message}`)
  process.exitCode = 1
}
