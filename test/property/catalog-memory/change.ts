import type { TestApp } from '../../support/boot.ts'
import type { Draw } from '../draw.ts'
import { type RootField, rootFields } from '../graphql-draw.ts'
import { drawRequest } from '../restricted-keys/request.ts'
import { hasActors, isRich } from '../restricted-keys/run.ts'
import { takeSnapshot } from '../restricted-keys/snapshot.ts'
import { actorsFor, createWorld, type World } from '../restricted-keys/world.ts'
import { type Compared, differences } from './compare.ts'

export const mutations = rootFields.filter(({ kind }) => kind === 'mutation')

/** Draws one request of an unrestricted caller, and compares what memory and database answer after it. */
async function change(
  world: World,
  draw: Draw,
  field: RootField,
  compared: Compared,
  readers: readonly TestApp[],
): Promise<string[]> {
  const seen = await takeSnapshot(world)
  const actor = draw.pick(actorsFor(world, field.name))
  const { query, variables, scope } = drawRequest(draw, { world, seen }, field)
  const { body } = await world.app.graphql(query, variables, { token: actor.token, ...(scope && { scope }) })
  // Units of documents and of deleted scopes are changed in the background, also between the two reads of a comparison.
  for (const { runtime } of [world.app, ...readers]) {
    await runtime.domain.documentRuns.idle()
    await runtime.domain.background.idle()
  }
  const found = await differences(world, draw, compared, draw.pick(readers))
  return found.map(
    (difference) =>
      `${query.slice(0, 100)} ${JSON.stringify(variables)} ${JSON.stringify(body).slice(0, 200)}\n${difference}`,
  )
}

const nothing = (): Compared => ({ hashes: new Set(), unitIds: new Set() })

/**
 * Runs each of the mutations a few times on worlds of its own; stops at the first difference. All of them go through
 * `app`, and are compared in the memory of one of `readers`.
 */
export async function changeAll(
  app: TestApp,
  draw: Draw,
  fields: readonly RootField[],
  times: number,
  readers: readonly TestApp[] = [app],
): Promise<string[]> {
  let [world, compared] = [await createWorld(app), nothing()]
  for (const reader of readers) await differences(world, draw, compared, reader)
  for (const field of fields) {
    for (let i = 0; i < times; i++) {
      const found = await change(world, draw, field, compared, readers)
      if (found.length > 0) return found
      if (!(await isRich(world)) || !hasActors(world, await takeSnapshot(world))) {
        ;[world, compared] = [await createWorld(app), nothing()]
      }
    }
  }
  return []
}
