import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type OpenProfile, openProfile, type Profile, profiles } from '../support/profiles.ts'
import { forAllRuns, timeoutFor } from './draw.ts'
import { drawHistory, type Tokens } from './non-interference/history.ts'
import {
  comparable,
  drawAnswer,
  drawDeletion,
  drawLooks,
  drawSearch,
  drawSums,
  drawSynonyms,
  drawVariant,
  drawViews,
  type Question,
  type Setting,
  searchesOf,
} from './non-interference/questions.ts'
import { createWorld, type World } from './non-interference/world.ts'

const runsOf: Record<Profile, number> = { embedded: 2, 'scale-out': 1 }
const [searchesPerRun, answersPerRun] = [30, 10]

describe.each(profiles)('two worlds that differ in hidden Units alone (%s)', (name) => {
  const runs = runsOf[name]
  let profile: OpenProfile
  const pressed = { index: { memoryMb: 0, threads: 3, snapshotAfterMs: 1 } }
  let pairs: { alone: World; crowded: World }[]
  beforeAll(async () => {
    profile = await openProfile(name)
    const { config } = profile
    pairs = [{ alone: await createWorld(config), crowded: await createWorld(config) }]
    // In every second run one world constantly writes snapshots and evicts namespaces, and the other never does. Engines outside
    // of the process do neither.
    if (name === 'embedded')
      pairs.push({ alone: await createWorld(config), crowded: await createWorld({ ...config, ...pressed }) })
  })
  afterAll(async () => {
    for (const world of pairs.flatMap(({ alone, crowded }) => [alone, crowded])) await world.app.close()
    await profile.close()
  })

  it('are the same to the byte for callers that may not see them', { timeout: timeoutFor(runs) }, async () => {
    // Sub-questions are part of what is compared: some answers have several.
    let inSteps = 0
    await forAllRuns(runs, async (draw, run) => {
      const worlds = pairs[run % pairs.length] as (typeof pairs)[number]
      const [home, elsewhere] = [`n${run}`, `n${run}-elsewhere`]
      // A reader in its home namespace, or a guest whose groups differ between scopes.
      const isGuest = run % 3 === 1
      const history = drawHistory(draw, { readerId: `reader-${run}`, isGuest }, home, elsewhere)
      const searches = Array.from({ length: searchesPerRun }, () => drawSearch(draw))
      const answers = Array.from({ length: answersPerRun }, () => drawAnswer(draw))
      const [even, odd] = [0, 1].map((rest) => [...searches, ...answers].filter((_, i) => i % 2 === rest))
      const views = Array.from({ length: 4 }, () => drawViews(draw, `reader-${run}`)).flat()
      const looks = () => [...drawLooks(draw, history), ...drawSums(draw)]
      const questions = {
        exact: [aboutHidden, ...(even ?? []), ...looks()],
        off: [aboutHidden, ...(odd ?? []), ...looks(), drawDeletion(draw, history), ...looks()],
      }

      const synonyms = drawSynonyms(draw)
      const tokens = new Map<World, Tokens>()
      for (const name of ['alone', 'crowded'] as const) {
        const world = worlds[name]
        const known = await addPrincipals(world, run, home, elsewhere, isGuest)
        tokens.set(world, known)
        for (const step of history.steps) if (step.of === 'both' || step.of === name) await step.apply(world, known)
      }
      for (const setting of ['exact', 'off'] as const) {
        const ask = (world: World, question: Question, as: keyof Tokens = 'reader') =>
          send(world, tokens.get(world)?.[as] ?? '', home, question)
        for (const world of [worlds.alone, worlds.crowded]) {
          expect((await ask(world, settingOf(home, setting), 'keeper')).body.errors).toBeUndefined()
          expect((await ask(world, synonyms, 'keeper')).body.errors).toBeUndefined()
        }
        const alike = async (question: Question, as?: keyof Tokens) => {
          const [alone, crowded] = [await ask(worlds.alone, question, as), await ask(worlds.crowded, question, as)]
          const [expected, actual] = [comparable(alone, setting), comparable(crowded, setting)]
          expect(actual, `${JSON.stringify(question)} is answered as if nothing were hidden`).toEqual(expected)
          return { actual, hidden: crowded.body.hidden_by_acl }
        }
        for (const question of questions[setting]) {
          const { actual, hidden } = await alike(question)
          if (searchesOf(actual) > 1) inSteps += 1
          if (question === aboutHidden) expect(hidden > 0).toBe(setting === 'exact')
          if (setting !== 'exact' || question.body?.q === undefined || hidden === undefined) continue
          const variant = drawVariant(draw, question)
          expect((await ask(worlds.crowded, variant)).body.hidden_by_acl, JSON.stringify([question, variant])).toBe(
            hidden,
          )
        }
        for (const view of views) {
          const { actual } = await alike(view, 'keeper')
          expect(actual.json).not.toContain('"bad_request"')
        }
      }
    })
    expect(inSteps).toBeGreaterThan(0)
  })
})

async function addPrincipals(
  { app }: World,
  run: number,
  home: string,
  elsewhere: string,
  isGuest: boolean,
): Promise<Tokens> {
  const keeper = await app.principal({ id: `keeper-${run}`, namespace: home })
  const everything = { scope: '*', perms: ['read', 'write', 'admin'] } as const
  const tokens = {
    keeper,
    reader: await app.principal({
      id: `reader-${run}`,
      ...(isGuest
        ? {
            namespace: elsewhere,
            groups: ['blue'],
            grants: [
              { namespace: home, scope: 'open', perms: ['read', 'write'], groups: ['red'] },
              { namespace: home, scope: 'open/sub', perms: ['read', 'write'], groups: ['green'] },
              { namespace: home, scope: 'closed', perms: ['write'], groups: ['violet'] },
            ],
          }
        : { namespace: home, groups: ['red'], grants: [{ scope: 'open', perms: ['read', 'write'] }] }),
    }),
    other: await app.principal({
      id: `other-${run}`,
      namespace: elsewhere,
      grants: [everything, { ...everything, namespace: home }],
    }),
  }
  // Both worlds have the same scopes, because a context may show their number.
  for (const scope of ['open', 'open/sub', 'closed', 'opened']) {
    await app.call('POST', '/v1/scopes', { token: keeper, body: { scope } })
  }
  return tokens
}

/** What all may read of it is less than 50 Units. */
const aboutHidden: Question = { method: 'POST', path: '/v1/search', scope: 'open', body: { q: 'ferry', top_k: 50 } }

const settingOf = (namespace: string, hiddenCount: Setting): Question => {
  const query = 'mutation ($input: UpdateNamespaceInput!) { updateNamespace(input: $input) { hiddenCount } }'
  return { method: 'POST', path: '/graphql', body: { query, variables: { input: { namespace, hiddenCount } } } }
}

function send({ app }: World, token: string, namespace: string, { method, path, scope, body }: Question) {
  const headers = { 'x-request-id': 'the-same' }
  const options = {
    token,
    namespace,
    headers,
    ...(scope === undefined ? {} : { scope }),
    ...(body === undefined ? {} : { body }),
  }
  return app.call(method, path, options)
}
