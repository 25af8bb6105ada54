import { describe, expect, it } from 'vitest'
import { failedFiles } from '../../scripts/ci/failed-files.ts'

const failure = (file: string, name: string) => `\u001b[41m FAIL \u001b[49m ${file}\u001b[2m > \u001b[22m${name}\n`

describe('the failed files of a run', () => {
  it('are each named once', () => {
    const output = [
      ' ✓ test/unit/one.test.ts (1 test)\n',
      failure('test/unit/two.test.ts', 'a'),
      failure('test/unit/two.test.ts', 'b'),
      failure('test/unit/three.long.test.ts', 'c'),
    ].join('')
    expect(failedFiles(output)).toEqual(['test/unit/two.test.ts', 'test/unit/three.long.test.ts'])
  })

  it('are unknown where none is named, or an error came from outside of a test', () => {
    expect(failedFiles('the process was killed')).toBeNull()
    const output = `${failure('test/unit/two.test.ts', 'a')}Vitest caught 1 unhandled error during the test run.`
    expect(failedFiles(output)).toBeNull()
  })
})
