import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sourceFiles } from '../support/source-files.ts'
import { avoidedWordsIn } from '../support/texts/plain-words.ts'

/** Ordinary uses, each by a part of its line. */
const ordinary = [
  // The prompt of the chat model is evaluated as it is.
  'Each passage stands between a line',
  // A word list of English verbs, and the text of an example.
  'doubt disput question pretend',
  'desk@port.example',
  // The words themselves.
  "'the API key must be sent anew'",
]

const places = ['src', 'test', 'bench', 'scripts', 'docs', 'deploy', 'examples', 'prisma']
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', 'schema.graphql']

/** The list and its test, data of tests, and demo content in the words of its authors. */
const isData = (file: string) =>
  /plain-words\.ts$|unit\/words\.test\.ts$|\/vectors\/|\/seed\/content\/|node_modules|package-lock/.test(file)

test('no avoided word is used', () => {
  const files = [...places, ...pages].flatMap(sourceFiles).filter((file) => !isData(file))
  expect(files.length).toBeGreaterThan(800)
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, i) =>
        ordinary.some((part) => line.includes(part))
          ? []
          : avoidedWordsIn(line).map((problem) => `${file}:${i + 1}: ${problem}`),
      ),
  )
  expect(found).toEqual([])
})

test.each([
  ['after the patience of the caller', 'timeout'],
  ['const mostWaiting = 5', 'maxX'],
  ['a key is no credential', 'is not a'],
  ['whoever asks', 'anyone who'],
  ['it goes on anew', 'continues'],
])('the list finds: %s', (text, instead) => {
  expect(avoidedWordsIn(text).join('\n')).toContain(instead)
})

test.each(['at most five', 'there is no key', 'the most recent row', 'it is no longer valid', 'almost'])(
  'the list allows: %s',
  (text) => {
    expect(avoidedWordsIn(text)).toEqual([])
  },
)
