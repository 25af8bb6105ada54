import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { listTools } from '../../src/http/mcp/tools.ts'

it('docs/agents.md lists the arguments of every tool, those that are needed in bold', () => {
  const page = readFileSync('docs/agents.md', 'utf8')
  const rows = listTools({ mayWrite: true }).map(({ name, inputSchema: { properties = {}, required = [] } }) => {
    const own = Object.keys(properties).filter((one) => one !== 'max_tokens')
    const shown = own.map((one) => (required.includes(one) ? `**\`${one}\`**` : `\`${one}\``))
    return `| \`${name}\` | ${shown.join(', ') || 'none'} |`
  })
  const [, table = ''] = page.split('| tool | arguments |\n|---|---|\n')
  expect(table.split('\n\n')[0]?.split('\n')).toEqual(rows)
})
