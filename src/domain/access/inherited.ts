import { InvalidInputError } from '../../errors.ts'
import { GroupTree } from '../../model/groups.ts'
import type { GroupReader } from '../../ports/catalog.ts'

/** How many groups a principal can be in, with those that they lead to. */
const maxGroups = 1000

export const treeOf = async (groups: Pick<GroupReader, 'nestings'>, namespaceId: string): Promise<GroupTree> =>
  new GroupTree(await groups.nestings(namespaceId))

export interface Inheriting {
  /** All of them, the given ones first. */
  groups: string[]
  inheritedGroups: string[]
}

/** The groups of one that is directly in these. Errors: 400 above 1,000. */
export function fitting(tree: GroupTree, direct: readonly string[]): Inheriting {
  const inheritedGroups = tree.inherited(direct)
  const groups = [...direct, ...inheritedGroups]
  if (groups.length > maxGroups)
    throw new InvalidInputError(
      ['groups'],
      `must leave each principal in at most ${maxGroups} groups, with those that hold them`,
    )
  return { groups, inheritedGroups }
}

/** The same, for a principal or a grant that is written. */
export const withInherited = async (
  groups: Pick<GroupReader, 'nestings'>,
  namespaceId: string,
  direct: readonly string[],
): Promise<Inheriting> =>
  direct.length === 0 ? { groups: [], inheritedGroups: [] } : fitting(await treeOf(groups, namespaceId), direct)
