import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { generatedFiles } from '../scripts/generated-files.ts'

it.each([...generatedFiles().entries()])('%s is as the code has it (else: npm run schema)', (name, content) => {
  expect(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8')).toBe(content)
})
