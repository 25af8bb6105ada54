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
  drawViews,
  type Question,
  searchesOf,
} from './non-interference/questions.ts'
import { createWorld, type World } from './non-interference/world.ts'

const runsOf: Record<Profile, number> = { embedded: 2, 'scale-out': 2 }
const searchesPerRun = 30
const answersPerRun = 10

describe.each(profiles)('two worlds that differ in hidden Units alone (%s)', (name) => {
  const runs = runsOf[name]
  let profile: OpenProfile
  const pressed = { index: { memoryMb: 0, threads: 3, snapshotAfterMs: 1 } }
  let pairs: { alone: World; crowded: World }[]
  beforeAll(async () => {
    profile = await openProfile(name)
    const { config } = profile
    // In every second run one world constantly writes snapshots and evicts namespaces, and the other never does.
    pairs = [
      { alone: await createWorld(config), crowded: await createWorld(config) },
      { alone: await createWorld(config), crowded: await createWorld({ ...config, ...pressed }) },
    ]
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
      const views = Array.from({ length: 4 }, () => drawViews(draw, `reader-${run}`)).flat()
      const questions = [...searches, ...answers, ...drawLooks(draw, history), ...drawSums(draw), ...drawSums(draw)]
      const deletion = drawDeletion(draw, history)
      questions.push(deletion, ...drawLooks(draw, history), ...drawSums(draw))

      const tokens = new Map<World, Tokens>()
      for (const name of ['alone', 'crowded'] as const) {
        const world = worlds[name]
        const known = await addPrincipals(world, run, home, elsewhere, isGuest)
        tokens.set(world, known)
        for (const step of history.steps) if (step.of === 'both' || step.of === name) await step.apply(world, known)
      }
      for (const question of questions) {
        const ask = (world: World) => askIn(world, tokens.get(world)?.reader ?? '', home, question)
        const [expected, actual] = [await ask(worlds.alone), await ask(worlds.crowded)]
        expect(actual, `${JSON.stringify(question)} is answered as if nothing were hidden`).toEqual(expected)
        if (searchesOf(actual) > 1) inSteps += 1
      }
      for (const view of views) {
        const ask = (world: World) => askIn(world, tokens.get(world)?.keeper ?? '', home, view)
        const [expected, actual] = [await ask(worlds.alone), await ask(worlds.crowded)]
        expect(expected.json).not.toContain('"bad_request"')
        expect(actual, `${JSON.stringify(view)} is answered as if nothing were hidden`).toEqual(expected)
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

async function askIn({ app }: World, token: string, namespace: string, { method, path, scope, body }: Question) {
  const headers = { 'x-request-id': 'the-same' }
  const options = {
    token,
    namespace,
    headers,
    ...(scope === undefined ? {} : { scope }),
    ...(body === undefined ? {} : { body }),
  }
  return comparable(await app.call(method, path, options))
}
