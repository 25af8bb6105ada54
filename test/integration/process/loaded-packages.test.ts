import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)

/** Of features that a service may never use. */
const onUse = [
  '@aws-sdk/client-s3',
  '@modelcontextprotocol/server',
  '@pinecone-database/pinecone',
  '@redis/client',
  'ai',
  'better-auth',
  'graphql-yoga',
  'meilisearch',
  'nodemailer',
  'prom-client',
  'stripe',
  'pdfjs-dist',
]

const address = (path: string) => new URL(`../../../src/${path}`, import.meta.url).href

const script = `
import { registerHooks } from 'node:module'
const packages = new Set()
registerHooks({
  load(url, context, next) {
    const name = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
    if (name !== undefined) packages.add(name)
    return next(url, context)
  },
})
await import(${JSON.stringify(address('app.ts'))})
await import(${JSON.stringify(address('runtime.ts'))})
console.log(JSON.stringify([...packages]))
`

it('loads the packages of features when they are used, not when it starts', async () => {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script])
  const loaded: string[] = JSON.parse(stdout)
  expect(loaded).toContain('graphql')
  expect(loaded.filter((name) => onUse.includes(name))).toEqual([])
})
