import type { NamespaceRecord } from '../../model/registry.ts'
import type { Session } from '../../model/session.ts'
import { tiers } from '../../model/tiers.ts'
import type { Plane } from '../../model/unit.ts'

/** A namespace as its caller sees it. */
export interface NamespaceView extends Omit<NamespaceRecord, 'id'> {
  /** Whether it is the caller's home. */
  home: boolean
  /** The planes of the tier. */
  planes: readonly Plane[]
  /** How many registered namespaces its principals may own, including itself; null for no limit. */
  maxNamespaces: number | null
}

/** `homeId` is null for the super-admin, who has no home. */
export function namespaceView({ id, ...record }: NamespaceRecord, homeId: string | null): NamespaceView {
  const { planes, maxNamespaces } = tiers[record.tier]
  return { ...record, home: id === homeId, planes, maxNamespaces }
}

export const homeIdOf = ({ facts: { caller } }: Session): string | null => (caller.superAdmin ? null : caller.home.id)
