import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../../src/graphql/schema.ts'
import { routes } from '../../../src/http/rest/route.ts'
import { shortOrLong } from '../../support/amounts.ts'
import type { CallOptions } from '../../support/boot.ts'
import { problemsOfDetail } from '../../support/texts/error-details.ts'
import { expectations, type Need } from './permissions/expectations.ts'
import { graphqlRows } from './permissions/graphql-rows.ts'
import { restRows } from './permissions/rest-rows.ts'
import { createMatrixWorld, type MatrixWorld, namespace, type Role, roles } from './permissions/world.ts'

/** The permission column of the specification: every operation, tried by every role. */

let world: MatrixWorld
beforeAll(async () => {
  world = await createMatrixWorld()
})
afterAll(() => world.app.close())

/** In namespace `matrix`: roles with another home send its name. */
function callAs(role: Role): CallOptions {
  const token = world.token(role)
  const elsewhere = role === 'stranger' || role === 'superAdmin'
  return { scope: '*', ...(token === undefined ? {} : { token }), ...(elsewhere ? { namespace } : {}) }
}

/** By day of a route: it calls what its GraphQL field calls, so those on both sides of a permission are enough. */
const byPower: readonly Role[] = ['nobody', 'readOnly', 'reader', 'writer', 'areaAdmin', 'admin', 'superAdmin']
function rolesOfRoute(needs: Need): readonly Role[] {
  const status = (role: Role | undefined) => role && expectations[needs][role]
  const isAtChange = (role: Role, at: number) =>
    at === 0 || [byPower[at - 1], byPower[at + 1]].some((other) => other && status(other) !== status(role))
  return shortOrLong<readonly Role[]>(byPower.filter(isAtChange), roles)
}

/** 503 has one code per reason. */
const errorOf = (status: number) => {
  if (status === 503) return expect.stringMatching(/^(billing|webhook)_not_configured$/)
  return { 401: 'unauthorized', 403: 'forbidden' }[status]
}

describe('REST', () => {
  it('has a row for every route, and no other', () => {
    expect(Object.keys(restRows).sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort())
  })

  it.each(Object.entries(restRows))('%s', async (name, { needs, request }) => {
    const [method = ''] = name.split(' ')
    for (const role of rolesOfRoute(needs)) {
      const { path, body } = await request(world, role)
      const reply = await world.app.call(method, path, { ...callAs(role), ...(body === undefined ? {} : { body }) })
      const expected = expectations[needs][role]
      expect([role, reply.status, reply.body.error]).toEqual([role, expected, errorOf(expected)])
      // What was refused has changed nothing: the next role sends the same.
      if (expected >= 400) expect(problemsOfDetail(reply.body.detail)).toEqual([])
      else if (method !== 'GET') world.renew()
    }
  })
})

describe('GraphQL', () => {
  it('has a row for every root field, and no other', () => {
    const fields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`),
    )
    expect(Object.keys(graphqlRows).sort()).toEqual(fields.sort())
  })

  it.each(Object.entries(graphqlRows))('%s', async (name, { needs, field }) => {
    const [operation = ''] = name.toLowerCase().split('.')
    for (const role of roles) {
      const reply = await world.app.graphql(`${operation} { ${await field(world, role)} }`, {}, callAs(role))
      const [error] = reply.body.errors ?? []
      const expected = expectations[needs][role]
      expect([role, error?.extensions.status ?? reply.status, error?.extensions.code]).toEqual([
        role,
        expected,
        errorOf(expected),
      ])
      if (error) expect(problemsOfDetail(error.message)).toEqual([])
      else if (operation === 'mutation') world.renew()
    }
  })
})
