import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { KeptCheckpoints } from '../../console/src/proofs/checkpoint.ts'
import { verifyLog } from '../../console/src/proofs/log.ts'
import { readConfig } from '../../src/config.ts'
import { withVariant } from '../support/access/sign-in.ts'
import { boot, type TestApp } from '../support/boot.ts'
import { keptInMemory, logOf } from './support/log-of.ts'

const [first, second] = [randomBytes(32), randomBytes(32)]
const signedBy = (...signingSeeds: Buffer[]) => ({ audit: { ...readConfig({}).audit, signingSeeds } })

let app: TestApp
let admin: string
beforeAll(async () => {
  app = await boot({ config: signedBy(first) })
  admin = await app.principal({ id: 'warden', namespace: 'seen' })
  await write(app, 'before')
})
afterAll(() => app.close())

const write = async (to: TestApp, id: string) => {
  const body = { units: [{ external_id: id, text: 'one more row', acl_groups: ['*'] }] }
  const { status } = await to.call('POST', '/v1/ingest', { token: admin, scope: 'open', body })
  expect(status).toBe(200)
}

/** What a browser finds that kept `kept`. */
async function check(at: TestApp, kept: KeptCheckpoints) {
  const { checkpoint, page, source } = logOf(at, admin, 'seen')
  return verifyLog({
    namespace: 'seen',
    rows: await page(0, 100),
    whole: 'to end',
    checkpoint: await checkpoint(),
    source,
    kept,
  })
}

test('a new key is said, is not trusted by itself, and the earlier rows are proven under the one before', async () => {
  const kept = keptInMemory()
  expect(await check(app, kept)).toMatchObject({ origin: 'svc/audit/seen' })
  const trusted = kept.all.get('svc/audit/seen')
  await withVariant(app, signedBy(second, first), async (rotated) => {
    await write(rotated, 'after')
    for (let time = 0; time < 2; time++) {
      const found = await check(rotated, kept)
      expect(found).toMatchObject({
        row: null,
        reason: expect.stringMatching(
          /^the key of svc\/audit\/seen has changed from \S+ to \S+\. The first \d+ rows are as the earlier key signed/,
        ),
      })
      expect(kept.all.get('svc/audit/seen')).toEqual(trusted)
    }
    const found = await check(rotated, kept)
    if (!('reason' in found && found.underNewKey)) throw new Error('nothing to trust')
    const { origin, ...checkpoint } = found.underNewKey
    expect(checkpoint.verifierKey).not.toBe(trusted?.verifierKey)
    kept.set(origin, checkpoint)
    expect(await check(rotated, kept)).toMatchObject({ origin })
  })
})

test('a log that was made again under a new key is not offered for trust', async () => {
  const kept = keptInMemory()
  // A service signs again what another key signed last only once the log has grown.
  await write(app, 'again')
  await check(app, kept)
  const forger = await boot({ config: signedBy(second) })
  try {
    const before = admin
    admin = await forger.principal({ id: 'warden', namespace: 'seen' })
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await write(forger, id)
    const found = await check(forger, kept)
    admin = before
    expect(found).toMatchObject({
      reason: expect.stringMatching(/has changed from .*, and the log does not begin with/),
    })
    expect(found).not.toHaveProperty('underNewKey')
  } finally {
    await forger.close()
  }
})
