/**
 * Clients generated from openapi.json, against the service: each compiles, and ingests, searches, answers, lists and deletes.
 * `node tooling/openapi/generators/run.ts [name …]`. It needs Python, for openapi-generator Java 17, and Maven or Go for those languages.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStorage } from '../../../test/support/database/database.ts'
import { startSeededServer } from '../../../test/support/process/seeded-server.ts'
import { environmentOf } from '../../../test/support/process/server-process.ts'
import { tempDir } from '../../../test/support/temp-dir.ts'

const here = import.meta.dirname
const document = join(here, '../../../openapi.json')
const folder = tempDir('generators')
const bin = join(folder.path, 'venv/bin')
const env: NodeJS.ProcessEnv = { ...process.env, PATH: `${bin}:${process.env.PATH}`, GOBIN: bin, GOFLAGS: '-mod=mod' }

/** Runs commands in a folder; what they print is shown if one fails. */
function run(cwd: string, ...commands: string[][]): void {
  for (const [program = '', ...args] of commands) {
    try {
      execFileSync(program, args, { cwd, env, stdio: 'pipe' })
    } catch (error) {
      const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer }
      throw new Error(`${program} ${args.join(' ')}\n${`${stdout}${stderr}`.slice(-4000)}`)
    }
  }
}

const pip = (...packages: string[]) => ['pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]
const example = (name: string, target: string) => cpSync(join(here, name), target)

/** `openapi-generator-cli` of PyPI has the jar. */
const generate = (version: string, language: string, out: string, ...options: string[]) => [
  pip(`openapi-generator-cli==${version}`),
  ['openapi-generator-cli', 'generate', '-i', document, '-g', language, '-o', out, ...options],
]

const ofOpenapiGenerator: Record<string, (version: string, cwd: string) => void> = {
  python(version, cwd) {
    run(
      cwd,
      ...generate(version, 'python', 'client'),
      pip('--force-reinstall', '--no-deps', './client'),
      pip('./client'),
    )
    run(cwd, ['python', join(here, 'python.py')])
  },
  'typescript-fetch'(version, cwd) {
    run(cwd, ...generate(version, 'typescript-fetch', 'client', '--additional-properties=importFileExtension=.ts'))
    example('typescript-fetch.ts', join(cwd, 'tour.ts'))
    run(cwd, [process.execPath, '--experimental-transform-types', 'tour.ts'])
  },
  java(version, cwd) {
    run(
      cwd,
      ...generate(
        version,
        'java',
        'client',
        '--library',
        'native',
        '--additional-properties=containerDefaultToNull=true,openApiNullable=false',
      ),
    )
    example('Tour.java', join(cwd, 'client/src/main/java/Tour.java'))
    const copied = ['dependency:copy-dependencies', '-DoutputDirectory=lib', '-DincludeScope=runtime']
    run(join(cwd, 'client'), ['mvn', '-q', '-DskipTests', 'compile', ...copied])
    run(join(cwd, 'client'), ['java', '-cp', 'target/classes:lib/*', 'Tour'])
  },
  go(version, cwd) {
    run(cwd, ...generate(version, 'go', '.'))
    mkdirSync(join(cwd, 'tour'))
    example('go.go', join(cwd, 'tour/main.go'))
    run(cwd, ['go', 'run', './tour'])
  },
}

const generators: Record<string, (cwd: string) => void> = {
  'openapi-python-client'(cwd) {
    const to = ['--output-path', 'service', '--meta', 'none', '--fail-on-warning']
    run(cwd, pip('openapi-python-client==0.29.1'), ['openapi-python-client', 'generate', '--path', document, ...to])
    example('openapi_python_client.py', join(cwd, 'tour.py'))
    run(cwd, ['python', 'tour.py'])
  },
  'oapi-codegen'(cwd) {
    run(cwd, ['go', 'install', 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'])
    mkdirSync(join(cwd, 'client'))
    run(cwd, ['oapi-codegen', '-package', 'client', '-generate', 'types,client', '-o', 'client/client.go', document])
    example('oapi-codegen.go', join(cwd, 'main.go'))
    writeFileSync(join(cwd, 'go.mod'), 'module tour\n\ngo 1.24\n')
    run(cwd, ['go', 'mod', 'tidy'], ['go', 'run', '.'])
  },
  ...Object.fromEntries(
    ['7.14.0', '7.26.0'].flatMap((version) =>
      Object.entries(ofOpenapiGenerator).map(([language, tour]) => [
        `openapi-generator-${language}@${version}`,
        (cwd: string) => tour(version, cwd),
      ]),
    ),
  ),
}

// They make a map of each object that takes no other fields.
for (const language of ['java', 'typescript-fetch']) delete generators[`openapi-generator-${language}@7.14.0`]

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(generators)
const storage = await createStorage()
const server = await startSeededServer(environmentOf(storage))
try {
  run(folder.path, ['python3', '-m', 'venv', 'venv'])
  for (const name of names) {
    const cwd = join(folder.path, name)
    mkdirSync(cwd)
    Object.assign(env, {
      SVC_URL: server.process.url,
      SVC_TOKEN: server.admin,
      SVC_SCOPE: name.replaceAll(/[^a-z]+/g, '-'),
    })
    const started = performance.now()
    generators[name]?.(cwd)
    console.log(`${name}: compiles and runs (${Math.round((performance.now() - started) / 1000)} s)`)
  }
} finally {
  await server[Symbol.asyncDispose]()
  await storage.remove()
  folder.remove()
}
