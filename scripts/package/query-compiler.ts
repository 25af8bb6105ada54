/**
 * Takes the query compiler of the generated Prisma client out of its module, where it is text: base64 in a string. As a file
 * of its own it is read only to be compiled. As text, the process keeps it three times: source, string and compiled module,
 * 14 MiB. Run after `prisma generate`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const generated = new URL('../../src/adapters/catalog/generated/', import.meta.url)
const client = new URL('internal/class.ts', generated)

const asText =
  /const \{ wasm \} = await import\("(@prisma\/client\/runtime\/[^"]+\.wasm-base64\.mjs)"\)\n +return await decodeBase64AsWasm\(wasm\)\n/
const asFile = `const { readFile } = await import('node:fs/promises')
    return WebAssembly.compile(await readFile(new URL('../query-compiler.wasm', import.meta.url)))
`

const code = readFileSync(client, 'utf8')
const [, name] = asText.exec(code) ?? []
if (name === undefined) throw new Error(`${fileURLToPath(client)} has no query compiler as text`)
const { wasm }: { wasm: string } = await import(name)
writeFileSync(new URL('query-compiler.wasm', generated), Buffer.from(wasm, 'base64'))
writeFileSync(client, code.replace(asText, asFile))
