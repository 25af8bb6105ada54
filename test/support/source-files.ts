import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The texts of the project below a folder, or one file: code, pages and settings. Generated and built code is left out. */
export const sourceFiles = (place: string): string[] =>
  globSync([place, `${place}/**/*.{ts,md,sh,json,yaml,yml,graphql,prisma,example,mjs,js}`], {
    cwd: root,
    exclude: (name) => ['generated', 'node_modules', 'dist'].includes(name),
  })
    .filter((file) => /\.\w+$/.test(file))
    .map((file) => join(root, file))
    .sort()
