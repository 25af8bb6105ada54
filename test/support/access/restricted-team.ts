import { expect } from 'vitest'
import { boot, superAdminToken, type TestApp } from '../boot.ts'
import { mutationsOf } from '../mutations.ts'
import { apiKeysOf } from './api-keys.ts'

export const sender = (app: TestApp) => (method: string, path: string, token: string, body?: object) =>
  app.call(method, path, { token, ...(body && { body }) })

/** Namespaces with an admin whose keys are restricted. */
function teamsOf(app: TestApp) {
  const keys = apiKeysOf(app)
  const send = sender(app)
  let made = 0

  /** Creates a namespace with an admin. Each of its two scopes has Units of two planes and two groups. */
  return async function createTeam() {
    const namespace = `team-${++made}`
    const id = `${namespace}-boss`
    const boss = await app.principal({ id, namespace, groups: ['staff', 'board'] })
    const units = ['x', 'x/below'].flatMap((scope) => [
      { scope, text: 'a heron', external_id: 'words' },
      { scope, text: 'a heron at dawn', modality: 'image', external_id: 'picture' },
      { scope, text: 'a heron for the board', external_id: 'minutes', acl_owner: 'nobody', acl_groups: ['board'] },
    ])
    const reply = await send('POST', '/v1/ingest', boss, { units })
    expect(reply.status).toBe(200)
    const everything = async () => {
      const options = { token: superAdminToken, namespace }
      const listed = await app.call('GET', '/v1/units', options)
      const records = await app.graphql(
        `{ scopes { scopes { scope planes readOnlyAgents } } grants { grants { id scope perms expiresAt } }
          principals { principals { principalId } } }`,
        {},
        options,
      )
      const { scopes, grants, principals } = records.body.data
      return { units: listed.body.units, records: { ...scopes, ...grants, ...principals } }
    }
    const mint = async (restrictions: object) => (await keys.mint(boss, restrictions)).token
    return { namespace, id, boss, everything, mint }
  }
}

/** An application, and what the tests of restricted keys call. */
export async function bootTeams() {
  let ahead = 0
  const clock = { now: () => Date.now() + ahead }
  const app = await boot({ bindings: { clock } })
  /** Moves the clock of the application to a moment, or leaves it where it is later. */
  const passTo = (moment: number) => {
    ahead = Math.max(ahead, moment - Date.now())
  }
  return {
    now: clock.now,
    passTo,
    app,
    send: sender(app),
    createTeam: teamsOf(app),
    keys: apiKeysOf(app),
    run: mutationsOf(app),
  }
}
export type Teams = Awaited<ReturnType<typeof bootTeams>>
