import { execFileSync } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'

/** Types of all documents. Of what the preset writes, the console uses types and texts; the rest is removed. */
execFileSync('node_modules/.bin/graphql-codegen', ['--config', 'codegen.ts', '--silent'], {
  cwd: import.meta.dirname,
  stdio: 'inherit',
})
for (const path of globSync('../src/**/generated/{gql,index}.ts', { cwd: import.meta.dirname })) {
  rmSync(new URL(path, import.meta.url))
}
