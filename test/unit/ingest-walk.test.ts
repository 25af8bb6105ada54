import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { docIdOf, findRoots } from '../../src/cli/ingest/files/roots.ts'
import { findFiles, type Selection, walk } from '../../src/cli/ingest/files/walk.ts'
import { tempDir } from '../support/temp-dir.ts'

let folder: ReturnType<typeof tempDir>
beforeEach(() => {
  folder = tempDir('ingest')
})
afterEach(() => folder.remove())

const at = (path: string) => join(folder.path, path)
function put(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
}
const all: Selection = { include: [], exclude: [], ignoreFiles: true, ledger: '' }

async function found(path: string, selection: Partial<Selection> = {}): Promise<string[]> {
  const [root] = await findRoots([at(path)])
  if (!root) throw new Error('no root')
  const { found } = await walk(root, { ...all, ...selection })
  return found.map(({ file, kind }) => (kind === 'file' ? file : `${kind} ${file}`))
}

describe('a walk', () => {
  test('names files from the base name of the PATH on', async () => {
    put({ 'notes/b.md': '', 'notes/a/c.md': '', 'notes/.git/config': '', 'notes/.hidden': '' })
    expect(await found('notes')).toEqual(['notes/a/c.md', 'notes/b.md'])
    expect(await found('notes/')).toEqual(['notes/a/c.md', 'notes/b.md'])
    expect(await found('notes/b.md')).toEqual(['b.md'])
    expect(docIdOf('notes/b.md')).toBe('notes/b.md')
    expect(docIdOf(`notes/${'x'.repeat(130)}`)).toMatch(/^sha256:[0-9a-f]{64}$/)
  })

  test('leaves out what git leaves out', async () => {
    put({
      'n/.gitignore': '*.log\n!keep.log\n/build/\ndocs/*.tmp\n\\#odd\n# comment\nA.md\n',
      'n/sub/.gitignore': '!sub.log\nonly-here\r\n',
      'n/a.log': '',
      'n/keep.log': '',
      'n/build/x': '',
      'n/sub/build/x': '',
      'n/sub/sub.log': '',
      'n/sub/only-here/x': '',
      'n/only-here/x': '',
      'n/docs/a.tmp': '',
      'n/docs/deep/a.tmp': '',
      'n/#odd': '',
      'n/a.md': '',
    })
    execFileSync('git', ['init', '-q'], { cwd: at('n') })
    const listed = execFileSync('git', ['ls-files', '--others', '--exclude-standard'], { cwd: at('n') })
    const ofGit = `${listed}`
      .trim()
      .split('\n')
      .filter((path) => !path.includes('.gitignore'))
    expect(await found('n')).toEqual(ofGit.map((path) => `n/${path}`).sort())
    expect(ofGit).toEqual(expect.arrayContaining(['keep.log', 'sub/sub.log', 'sub/build/x', 'only-here/x', 'a.md']))
    expect((await found('n', { ignoreFiles: false })).length).toBe(11)
  })

  test('an .ingestignore counts after the .gitignore beside it', async () => {
    put({
      'n/.gitignore': '*.log',
      'n/.ingestignore': '!a.log\n*.bin',
      'n/a.log': '',
      'n/b.log': '',
      'n/c.bin': '',
      'n/d': '',
    })
    expect(await found('n')).toEqual(['n/a.log', 'n/d'])
  })

  test('includes and excludes by globs below the PATH', async () => {
    put({ 'n/a.md': '', 'n/b.txt': '', 'n/x/c.md': '', 'n/x/d.pdf': '', 'n/x/y/e.md': '' })
    expect(await found('n', { include: ['*.md'] })).toEqual(['n/a.md', 'n/x/c.md', 'n/x/y/e.md'])
    expect(await found('n', { include: ['*.{txt,pdf}'] })).toEqual(['n/b.txt', 'n/x/d.pdf'])
    expect(await found('n', { include: ['x/*.md'] })).toEqual(['n/x/c.md'])
    expect(await found('n', { include: ['**/*.md'], exclude: ['x/y'] })).toEqual(['n/a.md', 'n/x/c.md'])
    expect(await found('n', { exclude: ['x/'] })).toEqual(['n/a.md', 'n/b.txt'])
    expect(await found('n', { include: ['x'] })).toEqual(['n/x/c.md', 'n/x/d.pdf', 'n/x/y/e.md'])
  })

  test('does not follow links, and names what is not a file', async () => {
    put({ 'n/a.md': '', 'secret/key.md': '' })
    symlinkSync(at('secret'), at('n/out'))
    symlinkSync(at('secret/key.md'), at('n/key.md'))
    execFileSync('mkfifo', [at('n/pipe')])
    expect(await found('n')).toEqual(['n/a.md', 'symlink n/key.md', 'symlink n/out', 'special n/pipe'])
    symlinkSync(at('n'), at('link'))
    expect(await found('link')).toEqual(['link/a.md', 'symlink link/key.md', 'symlink link/out', 'special link/pipe'])
  })

  test('puts the text beside a picture or recording with it', async () => {
    put({
      'n/a.jpg': '',
      'n/a.txt': '',
      'n/a.jpg.txt': '',
      'n/b.mp3': '',
      'n/b.json': '{"text": "The horn.", "metadata": {"year": 2026}}',
      'n/c.pdf': '',
      'n/c.txt': '',
      // Not about the picture.
      'n/d.jpg': '',
      'n/d.json': '{"text": "A test.", "cases": []}',
      'n/e.jpg': '',
      'n/e.json': '[]',
    })
    const [root] = await findRoots([at('n')])
    if (!root) throw new Error('no root')
    const files = (await walk(root, all)).found.map(({ file, sidecar }) => [
      file,
      sidecar?.slice(at('n/').length) ?? null,
    ])
    expect(files).toEqual([
      ['n/a.jpg', 'a.jpg.txt'],
      ['n/a.txt', null],
      ['n/b.mp3', 'b.json'],
      ['n/c.pdf', null],
      ['n/c.txt', null],
      ['n/d.jpg', null],
      ['n/d.json', null],
      ['n/e.jpg', null],
      ['n/e.json', null],
    ])
  })

  test('leaves out its own ledger, and says whether a folder holds a file', async () => {
    put({ 'n/ledger': '', 'n/.x': '' })
    const [root] = await findRoots([at('n')])
    if (!root) throw new Error('no root')
    expect(await walk(root, { ...all, ledger: at('n/ledger') })).toEqual({ found: [], holdsFile: false })
    put({ 'n/.gitignore': '*', 'n/a': '' })
    expect(await walk(root, { ...all, ledger: at('n/ledger') })).toEqual({ found: [], holdsFile: true })
  })
})

test('a PATH that is not there, and two files of one name, are wrong usage', async () => {
  put({ 'a/notes/x.md': '', 'b/notes/x.md': '', 'b/other/y.md': '' })
  await expect(findRoots([at('nowhere')])).rejects.toThrow(/^PATH .*nowhere: no such file or directory/)
  const roots = await findRoots([at('a/notes'), at('b/notes')])
  await expect(findFiles(roots, all)).rejects.toThrow(/^two files are notes\/x\.md: /)
  rmSync(at('b/notes'), { recursive: true })
  expect((await findFiles(await findRoots([at('a/notes'), at('b/other')]), all)).found.length).toBe(2)
})

test('names that are not UTF-8 do not stop the others', async () => {
  put({ 'n/a.md': '' })
  for (const byte of [0xfe, 0xff]) writeFileSync(Buffer.concat([Buffer.from(at('n/b')), Buffer.of(byte)]), 'x')
  const { found } = await findFiles(await findRoots([at('n')]), all)
  expect(found.map(({ file }) => file)).toEqual(['n/a.md', 'n/b\uFFFD', 'n/b\uFFFD'])
})
