import type { GrantRecord, NamespaceRecord, PrincipalRecord } from '../model/registry.ts'

/**
 * The registries as they are read. Namespaces and principals that were deleted are in none of them, nor are grants that
 * have ended at `now`.
 */
export interface RegistryReader {
  /** The principal's home and the namespaces in which it holds a grant, by name. */
  namespacesOf(principalId: string, now: number): Promise<NamespaceRecord[]>
  /** All of them, by name. */
  namespaces(): Promise<NamespaceRecord[]>
  /** Null for one that does not exist. */
  namespace(id: string): Promise<NamespaceRecord | null>
  /** Oldest first. */
  grants(namespaceId: string, now: number): Promise<GrantRecord[]>
  grant(namespaceId: string, id: string, now: number): Promise<GrantRecord | null>
  /** Those homed in the namespace, oldest first. */
  principals(namespaceId: string): Promise<PrincipalRecord[]>
  /** Null for one that is unknown or homed elsewhere. */
  principal(namespaceId: string, principalId: string): Promise<PrincipalRecord | null>
}
