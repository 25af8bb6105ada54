import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { describeSettings, readConfig } from '../../src/config.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const compose = read('deploy/compose.yaml')
const known = describeSettings().map(({ name }) => name)

/** The block below a key of the compose file, found by indentation. */
function blockOf(text: string, key: string): string {
  const [, indent = '', rest = ''] = new RegExp(`^( *)${key}:\\n([\\s\\S]*)`, 'm').exec(text) ?? []
  const end = rest.search(new RegExp(`^ {0,${indent.length}}[^ #\\n]`, 'm'))
  return end < 0 ? rest : rest.slice(0, end)
}

const environment = new Map(
  [...blockOf(blockOf(compose, 'service'), 'environment').matchAll(/^ +([A-Z0-9_]+): (.*)$/gm)].map(
    ([, name = '', value = '']) => [name, value],
  ),
)

test('the compose file sets only what the service reads', () => {
  expect(environment.size).toBeGreaterThan(15)
  expect([...environment.keys()].filter((name) => !known.includes(name))).toEqual([])
})

test('the example of .env names every variable that the compose file asks for, with no value that would do', () => {
  const asked = new Set([...compose.matchAll(/\$\{([A-Z0-9_]+):([?-])/g)].map(([, name, kind]) => `${name}${kind}`))
  const lines = read('deploy/example.env').split('\n')
  const needed = lines.flatMap((line) => (/^[A-Z]/.test(line) ? [line] : []))
  expect(needed.every((line) => line.endsWith('='))).toBe(true)
  expect(needed.map((line) => `${line.slice(0, -1)}?`).sort()).toEqual(
    [...asked].filter((name) => name.endsWith('?')).sort(),
  )
  const optional = lines.flatMap((line) => /^#([A-Z_]+)=/.exec(line)?.[1] ?? [])
  expect(optional.map((name) => `${name}-`).sort()).toEqual([...asked].filter((name) => name.endsWith('-')).sort())
  // The file contains no secret, and a missing secret is an error.
  expect(compose).not.toMatch(/(PASSWORD|SECRET|KEY|TOKEN): (?!\$\{|retrieval$)\S/)
})

test('the README makes every variable that has to be set, and the service takes them', () => {
  const script = read('deploy/README.md')
  const needed = [...compose.matchAll(/\$\{([A-Z0-9_]+):\?/g)].map(([, name = '']) => name)
  expect(needed.filter((name) => !script.includes(name))).toEqual([])
  const values = new Map(needed.map((name) => [name, 'ab'.repeat(32)]))
  values.set('PUBLIC_URL', 'http://127.0.0.1:8787').set('AUDIT_SIGNING_KEY', Buffer.alloc(32, 1).toString('base64'))
  const filled = [...environment].map(([name, value]) => [
    name,
    value.replaceAll(
      /\$\{([A-Z0-9_]+):(?:\?[^}]*|-([^}]*))\}/g,
      (_, asked, fallback) => fallback ?? values.get(asked) ?? '',
    ),
  ])
  expect(JSON.stringify(filled)).not.toContain('${')
  const config = readConfig(Object.fromEntries(filled))
  expect(config.catalog).toMatchObject({ kind: 'postgresql', ownerUrl: expect.stringContaining('retrieval_owner') })
  expect(config.signIn.kind).toBe('on')
  expect(config.anchor.kind).toBe('s3')
})

test('the image is built from what is sent to the builder', () => {
  const dockerfile = read('deploy/Dockerfile')
  const sent = read('.dockerignore')
    .split('\n')
    .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) => names.split(' '))
  expect(copied.sort()).toEqual(sent.sort())
  expect(dockerfile).toMatch(/^USER node$/m)
  expect([...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, set = '']) => set.split(' ')).join()).toContain(
    'HOST=0.0.0.0',
  )
})
