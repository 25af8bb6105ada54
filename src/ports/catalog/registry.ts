import type { Listed, PageRange } from '../../model/page.ts'
import type { GrantRecord, NamespaceRecord, PrincipalRecord } from '../../model/registry.ts'

/**
 * Reads the registries. They leave out deleted namespaces and principals, and grants that have expired at `now`. A list
 * without a range is whole.
 */
export interface RegistryReader {
  /** The principal's home namespace and the namespaces where it has a grant, by name. */
  namespacesOf(principalId: string, now: number, range?: PageRange): Promise<Listed<NamespaceRecord>>
  /** All namespaces, by name. */
  namespaces(range?: PageRange): Promise<Listed<NamespaceRecord>>
  /** Null if it does not exist. */
  namespace(id: string): Promise<NamespaceRecord | null>
  /** Oldest first. */
  grants(namespaceId: string, now: number, range?: PageRange): Promise<Listed<GrantRecord>>
  grant(namespaceId: string, id: string, now: number): Promise<GrantRecord | null>
  /** Principals homed in the namespace, oldest first. */
  principals(namespaceId: string, range?: PageRange): Promise<Listed<PrincipalRecord>>
  /** Null if it is unknown or homed elsewhere. */
  principal(namespaceId: string, principalId: string): Promise<PrincipalRecord | null>
}
