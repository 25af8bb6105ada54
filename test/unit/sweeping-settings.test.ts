import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { configProblem } from '../support/texts/config-problem.ts'

it('sweeps are set in seconds and hours, with decimals', () => {
  expect(readConfig({}).sweeping).toEqual({ everyMs: 600_000, unusedSourceMs: 86_400_000 })
  const set = readConfig({ SWEEP_SECONDS: '1.5', UNUSED_SOURCE_HOURS: '0.001' })
  expect(set.sweeping).toEqual({ everyMs: 1500, unusedSourceMs: 3600 })
  for (const wrong of ['0', '-1', '1e9', 'often']) {
    expect(configProblem({ SWEEP_SECONDS: wrong })).toContain('SWEEP_SECONDS: must be a number from 1 to 86400')
  }
  expect(configProblem({ UNUSED_SOURCE_HOURS: 'a day' })).toContain('UNUSED_SOURCE_HOURS: must be')
})
