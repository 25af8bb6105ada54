import type { KeyRestrictions, Namespace, PrincipalKind } from '../model/registry.ts'
import type { TierName } from '../model/tiers.ts'
import type { GrantRow } from './catalog.ts'

/** Creates what namespaces and principals are made of. Each call keeps what already exists. */
export interface Provisioner {
  hasPrincipals(): Promise<boolean>
  ensureNamespace(namespace: { id: string; name: string; tier: TierName; createdAt: number }): Promise<Namespace>
  ensurePrincipal(principal: PrincipalRow): Promise<void>
  ensureGrant(namespaceId: string, grant: GrantRow): Promise<void>
  /** Replaces the principal's tokens of this name; returns the hashes that no longer work. */
  replaceTokens(principalId: string, token: TokenRow): Promise<string[]>
}

export interface PrincipalRow {
  principalId: string
  namespaceId: string
  kind: PrincipalKind
  groups: readonly string[]
  readOnly: boolean
  activeScope: string
  createdAt: number
}

export interface TokenRow {
  hash: string
  /** Names the token where it is listed and revoked. */
  id: string
  name: string
  createdAt: number
  expiresAt: number | null
  restrictions: KeyRestrictions
}
