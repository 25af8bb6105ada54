import { beforeEach, describe, expect, it } from 'vitest'
import type { KeyRestrictions } from '../../src/model/registry.ts'
import type { Identity } from '../../src/ports/access/identity.ts'

/** An identity adapter, with direct access to its token store. */
export interface IdentityFixture {
  identity: Identity
  /** Stores a token of a new principal; returns the token, its hash and the principal. */
  issue(options?: { expiresAt?: number; restrictions?: KeyRestrictions }): Promise<Issued>
  /** Removes the token from the store, without a notification. */
  revoke(issued: Issued): Promise<void>
  /** Sets the clock. */
  setTime(now: number): void
}

export interface Issued {
  token: string
  hash: string
  principalId: string
}

/** The contract of the identity port, for every adapter. */
export function identityContract(name: string, create: () => Promise<IdentityFixture>): void {
  describe(`identity: ${name}`, () => {
    let fixture: IdentityFixture
    beforeEach(async () => {
      fixture = await create()
      fixture.setTime(1000)
    })

    it('says whom a token stands for, again and again', async () => {
      const issued = await fixture.issue()
      const expected = { principalId: issued.principalId, restrictions: {}, keyHash: issued.hash }
      expect(await fixture.identity.verifyToken(issued.token)).toEqual(expected)
      expect(await fixture.identity.verifyToken(issued.token)).toEqual(expected)
    })

    it('hands over the restrictions of a key', async () => {
      const restrictions: KeyRestrictions = { perms: ['read'], scopePrefix: 'a/b', planes: ['text'], groups: ['g'] }
      const { token } = await fixture.issue({ restrictions })
      expect((await fixture.identity.verifyToken(token))?.restrictions).toEqual(restrictions)
    })

    it('knows nothing of other tokens, hashes included', async () => {
      const { token, hash } = await fixture.issue()
      for (const other of ['', 'x', `${token}x`, token.slice(0, -1), token.toUpperCase(), hash, '\0', 'é']) {
        expect(await fixture.identity.verifyToken(other), other).toBeNull()
      }
    })

    it('stops at the expiry, though the token was just used', async () => {
      const { token } = await fixture.issue({ expiresAt: 2000 })
      fixture.setTime(1999)
      expect(await fixture.identity.verifyToken(token)).not.toBeNull()
      fixture.setTime(2000)
      expect(await fixture.identity.verifyToken(token)).toBeNull()
    })

    it('forgets a revoked token at once', async () => {
      const [revoked, kept] = [await fixture.issue(), await fixture.issue()]
      for (const { token } of [revoked, kept]) await fixture.identity.verifyToken(token)
      await fixture.revoke(revoked)
      await fixture.identity.forget([revoked.hash])
      expect(await fixture.identity.verifyToken(revoked.token)).toBeNull()
      expect(await fixture.identity.verifyToken(kept.token)).not.toBeNull()
    })
  })
}
