import { setTimeout as sleep } from 'node:timers/promises'
import type { Runtime } from '../../src/runtime.ts'
import { graphqlRows } from '../../test/integration/access/permissions/graphql-rows.ts'
import { restRows } from '../../test/integration/access/permissions/rest-rows.ts'
import type { MatrixWorld, Role } from '../../test/integration/access/permissions/world.ts'
import { openBrowser } from '../../test/support/access/browser.ts'
import type { CallOptions } from '../../test/support/boot.ts'
import type { Observer } from './observe.ts'

/** An admin, and someone whose rights are narrow: their statements differ. */
const roles: readonly Role[] = ['admin', 'reader']

/**
 * Every operation of REST and of GraphQL, from the table that a test compares with the schema and the routes, and what
 * the service does in the background.
 */
export async function runEverything(world: MatrixWorld, { during }: Observer): Promise<void> {
  const { call, graphql, runtime } = world.app
  for (const role of roles) {
    const options: CallOptions = { scope: '*', token: world.token(role) ?? '' }
    for (const [name, { request }] of Object.entries(restRows)) {
      const [method = ''] = name.split(' ')
      world.renew()
      await during(name, async () => {
        const { path, body } = await request(world, role)
        expectAnswer(name, await call(method, path, { ...options, ...(body && { body }) }))
      })
    }
    for (const [name, { field }] of Object.entries(graphqlRows)) {
      const [operation = ''] = name.toLowerCase().split('.')
      world.renew()
      await during(name, async () => {
        expectAnswer(name, await graphql(`${operation} { ${await field(world, role)} }`, {}, options))
      })
    }
  }
  await during('sign-in', async () => {
    const browser = openBrowser(world.app)
    await browser.signUp(`${world.fresh('person')}@example.com`)
    expectAnswer('sign-in', await browser.call('GET', '/v1/context'))
  })
  await during('background', () => settle(runtime))
}

const settleMs = 5000

/** Lets the background do what is due. A busy one begins again every two seconds, and is never idle. */
export async function settle({ domain: { background, documentRuns } }: Runtime): Promise<void> {
  background.kick()
  await Promise.race([Promise.all([documentRuns.idle(), background.idle()]), sleep(settleMs)])
}

function expectAnswer(name: string, { status, body }: { status: number; body: { error?: string } }): void {
  if (status >= 500 && status !== 503) throw new Error(`${name}: ${status} ${JSON.stringify(body)}`)
}
