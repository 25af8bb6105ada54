import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { nextVersion, releasedChangelog, unreleased } from '../../../scripts/release/versions.ts'
import { withCatalogRows } from '../../support/database/catalog-rows.ts'
import { runProgram } from '../../support/process/run-program.ts'
import { environmentOf, failedStart, startServerProcess } from '../../support/process/server-process.ts'
import { tempDir } from '../../support/temp-dir.ts'

const timeout = 300_000
const upgrades = fileURLToPath(new URL('../../upgrades/', import.meta.url))
const root = fileURLToPath(new URL('../../../', import.meta.url))
const versions = readdirSync(upgrades).filter((name) => statSync(join(upgrades, name)).isDirectory())
const folder = tempDir('upgrades')
afterAll(() => folder.remove())

describe.each(versions)('data of version %s', { timeout }, (version) => {
  const dataDir = join(folder.path, version)
  const storage = { dataDir, catalog: { kind: 'pglite' as const, dataDir } }

  it('are restored, migrated, verified and searched', async () => {
    const archive = join(upgrades, version, 'backup.tar')
    expect(statSync(archive).size).toBeLessThanOrEqual(4 * 2 ** 20)
    execFileSync('tar', ['xf', archive, '-C', folder.path])
    const backup = join(folder.path, 'backup')
    expect(await runProgram({ args: ['restore', backup, '--data-dir', dataDir] })).toMatchObject({
      code: 0,
      stderr: '',
    })
    const { token, found } = JSON.parse(readFileSync(join(upgrades, version, 'found.json'), 'utf8'))
    await using server = await startServerProcess(environmentOf(storage))
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const verified = await fetch(`${server.url}/v1/audit/verify`, { headers })
    expect(await verified.json()).toMatchObject({ intact: true })
    expect(found.length).toBeGreaterThan(0)
    for (const { query, first } of found) {
      const body = JSON.stringify({ q: query })
      const answer = await fetch(`${server.url}/v1/search`, { method: 'POST', headers, body })
      const { hits } = await answer.json()
      expect(hits.map((hit: { unit_id: string }) => hit.unit_id)).toContain(first)
    }
    const query = `{ catalogStats { storage { catalogRows } }
      usageSeries(from: ${Date.now() - 86_400_000}, to: ${Date.now()}, step: day) { points { units { text visual audio docVisual } } } }`
    const asked = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
    const { catalogStats, usageSeries } = (await asked.json()).data
    const known = Object.values<number>(usageSeries.points.at(-1).units)
    expect(known.reduce((sum, units) => sum + units)).toBe(catalogStats.storage.catalogRows)
    server.kill('SIGTERM')
    await server.exited
  })

  it('are refused in one sentence once a newer version has migrated them', async () => {
    await withCatalogRows(storage, (sql) =>
      sql(`INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count)
           VALUES ('x', 'x', now(), '99990101000000_later', 1)`),
    )
    const { exit, stderr } = await failedStart(environmentOf(storage))
    expect(exit.code).toBe(1)
    expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('written by a newer version of this service')])
  })
})

it('has data of this version', () => {
  expect(versions).toContain(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version)
})

describe('a release', () => {
  it('raises the version and dates the changelog', () => {
    expect(['patch', 'minor', 'major'].map((kind) => nextVersion('0.1.2', kind as 'patch'))).toEqual([
      '0.1.3',
      '0.2.0',
      '1.0.0',
    ])
    const changelog = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- this\n\n## [0.1.0]\n\n- that\n'
    expect(unreleased(changelog)).toBe('### Added\n\n- this')
    const released = releasedChangelog(changelog, '0.2.0', '2026-01-02')
    expect(unreleased(released)).toBe('')
    expect(released).toContain('## [0.2.0] - 2026-01-02\n\n### Added\n\n- this')
  })

  it('is refused for a dirty tree, another branch, an empty changelog and a red check', { timeout }, () => {
    const copy = join(folder.path, 'repository')
    for (const name of ['scripts', 'CHANGELOG.md']) cpSync(join(root, name), join(copy, name), { recursive: true })
    const scripts = { check: 'exit 1', test: 'exit 0' }
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ version: '0.1.0', type: 'module', scripts }))
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        cwd: copy,
        stdio: 'ignore',
      })
    const refusal = () => {
      try {
        execFileSync(process.execPath, ['scripts/release.ts', 'minor', '--dry-run'], { cwd: copy, stdio: 'pipe' })
        return 'released'
      } catch (error) {
        return String((error as { stderr: Buffer }).stderr)
      }
    }
    git('init', '-b', 'main')
    expect(refusal()).toContain('the tree is dirty')
    git('add', '--all')
    git('commit', '-m', 'all')
    expect(refusal()).toContain('npm run check fails')
    git('checkout', '-b', 'other')
    expect(refusal()).toContain('this is other')
    git('checkout', 'main')
    writeFileSync(join(copy, 'CHANGELOG.md'), '## [Unreleased]\n\n## [0.1.0]\n')
    git('commit', '-am', 'empty')
    expect(refusal()).toContain('is empty')
    git('checkout', 'HEAD~1', '--', 'CHANGELOG.md')
    writeFileSync(
      join(copy, 'package.json'),
      JSON.stringify({ version: '0.1.0', type: 'module', scripts: { check: 'exit 0', test: 'exit 0' } }),
    )
    git('commit', '-am', 'green')
    expect(refusal()).toBe('released')
  })
})
