/** Writes the vectors beside it: `node test/vectors/make.ts`. They are the same each time. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { vectorCases, vectorFiles } from './vectors.ts'

const folder = new URL('./audit/', import.meta.url)
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const [name, content] of Object.entries(vectorFiles)) writeFileSync(new URL(name, folder), content)
writeFileSync(new URL('manifest.json', folder), `${JSON.stringify(vectorCases, null, 2)}\n`)
