import { expect, test } from 'vitest'
import { boot } from '../../support/boot.ts'
import { taken } from '../../support/documents/files.ts'
import { startModelServer } from '../../support/models/model-server.ts'
import { inferenceOf, openAiSettings } from '../../support/models/remote-models.ts'

test('a changed file embeds only what has changed', async () => {
  await using server = await startModelServer()
  const app = await boot({ config: { inference: inferenceOf(openAiSettings(server.url)) } })
  const token = await app.principal({ id: 'librarian', namespace: 'library' })
  const part = (n: number, words: string) => `# Part ${n}\n\n${words} `.padEnd(700, `${words} `)
  const file = (last: string) => [part(1, 'Ropes'), part(2, 'Nets'), part(3, last)].join('\n\n')
  const embedded = () =>
    server.asked.filter(({ path }) => path.endsWith('/embeddings')).flatMap(({ body }) => body.input as string[])
  await taken(app, token, 'parts.md', file('Sails'), { scope: 'shelf' })
  expect(embedded()).toHaveLength(3)
  server.asked.length = 0
  expect(await taken(app, token, 'parts.md', file('Masts'), { scope: 'shelf' })).toMatchObject({ units: 3 })
  expect(embedded()).toEqual([expect.stringContaining('Masts')])
  const { body } = await app.call('POST', '/v1/search', { token, body: { q: 'nets', top_k: 3 } })
  const legs = body.hits[0].explain.map(({ leg }: { leg: string }) => leg)
  expect(legs.some((leg: string) => leg.includes('vector'))).toBe(true)
  await app.close()
})
