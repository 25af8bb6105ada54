import { readFileSync } from 'node:fs'
import { printSchema } from 'graphql'
import { describeSettings, readConfig } from '../src/config.ts'
import { schema } from '../src/graphql/schema.ts'
import { openapi } from '../src/http/rest/openapi.ts'
import { routes } from '../src/http/rest/routes/all.ts'
import { version } from '../src/version.ts'

/** What is committed though it follows from the code: file name -> content. A test fails when one has drifted. */
export function generatedFiles(): Map<string, string> {
  const { brand } = readConfig({})
  return new Map([
    ['schema.graphql', `${printSchema(schema)}\n`],
    ['openapi.json', `${JSON.stringify(openapi(routes, schema, { version, brand }), null, 2)}\n`],
    ['.env.example', envExample()],
    ['README.md', withSettings(readFileSync(new URL('../README.md', import.meta.url), 'utf8'))],
  ])
}

function envExample(): string {
  const settings = describeSettings().map((s) => `# ${s.description}.\n#${s.name}=${s.default ?? ''}\n`)
  return ['# All of it is optional.\n', ...settings].join('\n')
}

/** The README's table of settings stands between two markers. */
function withSettings(readme: string): string {
  const rows = describeSettings().map((s) => `| \`${s.name}\` | ${s.description} | ${s.default ?? ''} |`)
  const table = ['| variable | what it does | default |', '|---|---|---|', ...rows].join('\n')
  const between = /(?<=<!-- settings -->\n)[\s\S]*?(?=<!-- \/settings -->)/
  if (!between.test(readme)) throw new Error('the README has lost the markers of its table of settings')
  return readme.replace(between, () => `${table}\n`)
}
