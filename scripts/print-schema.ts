/** Writes the files that are generated from the code: `npm run schema`. */
import { writeFileSync } from 'node:fs'
import { generatedFiles } from './generated-files.ts'

for (const [name, content] of generatedFiles()) writeFileSync(new URL(`../${name}`, import.meta.url), content)
