import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as errors from '../../src/errors.ts'
import { sourceFiles } from '../support/source-files.ts'
import { problemsOfDetail } from '../support/texts/error-details.ts'

/** Calls whose argument is the text of an error of the wire. */
const thrown =
  /\b(?:badRequest|forbidden|notFound|unauthorized|upgradeRequired|quotaExceeded|InvalidInputError|ServiceError)\(\s*(?:\[[^\]]*\],\s*|'[a-z_]+',\s*|path,\s*)?('(?:[^'\\]|\\.)+'|`[^`]+`|"[^"]+")/g

/** Messages of the schemas: each follows the path of a field. */
const message = /'((?:must|may|is|exactly|at least) [^']+)'|`((?:must|may|is) [^`]+)`/g

const filled = (literal: string) => literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, 'x')

const texts = (folder: string, pattern: RegExp) =>
  sourceFiles(folder).flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)])

test('each error text of the code names its subject, and says what would be right', () => {
  const details = texts('src', thrown)
    // The text after the code, or after the path of a field.
    .map(([call, literal = '']) =>
      call.includes('[') || call.includes('path,') ? `x: ${filled(literal)}` : filled(literal),
    )
    .filter((detail) => detail.includes(' ') && detail !== 'x: x')
  expect(details.length).toBeGreaterThan(90)
  expect(details.flatMap(problemsOfDetail)).toEqual([])
})

test('so does each message of a schema', () => {
  const messages = sourceFiles('src/domain')
    .filter((file) => /-input\.ts$|\/input\//.test(file))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(message)])
    .map(([literal]) => `x: ${filled(literal)}`)
  expect(messages.length).toBeGreaterThan(60)
  expect(messages.flatMap(problemsOfDetail)).toEqual([])
})

test('so do the errors without arguments', () => {
  const details = Object.values(errors).flatMap((made) => {
    const error = typeof made === 'function' && made.length === 0 ? (made as () => unknown)() : null
    return error instanceof errors.ServiceError ? [error.detail] : []
  })
  expect(details.length).toBeGreaterThan(12)
  expect(details.flatMap(problemsOfDetail)).toEqual([])
})

test.each([
  ['no such thing', 'neither a field nor a resource'],
  ['the namespace was not granted', 'what would be right'],
  ['filters.doc_id: Too big: expected string to have <=128 characters', 'lower case'],
  ['q: Invalid input: expected string, received undefined', 'implementation'],
  ['units: must be a list.', 'punctuation'],
  ['the API key must be sent anew', 'write again'],
])('the rules refuse: %s', (detail, problem) => {
  expect(problemsOfDetail(detail).join('\n')).toContain(problem)
})

test('each error code has one spelling', () => {
  const codes = new Set(Object.keys(errors.errorTable))
  const named = /\b(?:code|error)\b\s*[:=]+\s*['"`]([A-Za-z]+(?:[_-][A-Za-z]+)+)['"`]/g
  const spelled = ['src/domain', 'src/graphql', 'src/http', 'test/acceptance'].flatMap((folder) =>
    texts(folder, named).map(([, code = '']) => code),
  )
  expect(spelled.length).toBeGreaterThan(15)
  // Codes of Node, its HTTP parser, graphql-js, zod and RFC 6750 are not ours.
  const foreign = /^(?:ERR|HPE|GRAPHQL)_|^(?:unrecognized_keys|invalid_type|invalid_token)$/
  expect(spelled.filter((code) => !codes.has(code) && !foreign.test(code))).toEqual([])
  const alike = [...codes].map((code) => new RegExp(`\\b${code.replaceAll('_', '[-_ ]?')}\\b`, 'i'))
  const other = [...sourceFiles('src'), ...sourceFiles('test/acceptance'), ...sourceFiles('docs')].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/['"`]([A-Za-z]+[-_][A-Za-z_-]+)['"`]/g)]
      .map(([, word = '']) => word)
      .filter((word) => !codes.has(word) && alike.some((code) => code.exec(word)?.[0] === word))
      .map((word) => `${file}: ${word}`),
  )
  // The sign-in library's own names of statuses.
  expect(other.filter((place) => !/adapters\/identity\/.*: [A-Z_]+$/.test(place))).toEqual([])
})
