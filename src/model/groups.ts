/** The group `name` holds the group `member`: those in the one are in the other. */
export interface Nesting {
  name: string
  member: string
}

export const groupSources = ['manual', 'scim', 'idp'] as const
export type GroupSource = (typeof groupSources)[number]

export const maxGroupDepth = 16

/** Which groups lead to which, in a namespace. */
export class GroupTree {
  readonly #holders: ReadonlyMap<string, readonly string[]>
  readonly #members: ReadonlyMap<string, readonly string[]>

  constructor(nestings: readonly Nesting[]) {
    const by = (key: keyof Nesting, value: keyof Nesting) =>
      new Map(
        [...Map.groupBy(nestings, (nesting) => nesting[key])].map(
          ([group, all]) => [group, all.map((nesting) => nesting[value]).sort()] as const,
        ),
      )
    this.#holders = by('member', 'name')
    this.#members = by('name', 'member')
  }

  /** The groups that members of these are in besides, in order. */
  inherited(direct: readonly string[]): string[] {
    const own = new Set(direct)
    return [...reached(direct, this.#holders).keys()].filter((group) => !own.has(group)).sort()
  }

  /** These, and all groups that they hold, at any depth. */
  within(groups: readonly string[]): string[] {
    return [...reached(groups, this.#members).keys()]
  }

  /** The shortest way from one of these to a group that is inherited: it first, a direct one last. Null if there is none. */
  path(direct: readonly string[], group: string): string[] | null {
    const found = reached(direct, this.#holders)
    if (!found.has(group)) return null
    const path = [group]
    for (let at = found.get(group); at; at = found.get(at)) path.push(at)
    return path
  }

  /** Whether a group holds itself, or has more than `maxGroupDepth` levels of groups below it. */
  problem(): 'cycle' | 'depth' | null {
    const waiting = new Map([...this.#members].map(([group, members]) => [group, members.length]))
    const depths = new Map<string, number>()
    // From the groups that hold none upwards: in a circle no group is ever next.
    const next = [...this.#holders.keys()].filter((group) => !this.#members.has(group))
    for (const group of next) {
      for (const holder of this.#holders.get(group) ?? []) {
        depths.set(holder, Math.max(depths.get(holder) ?? 0, (depths.get(group) ?? 0) + 1))
        const left = (waiting.get(holder) ?? 0) - 1
        waiting.set(holder, left)
        if (left === 0) next.push(holder)
      }
    }
    if ([...waiting.values()].some((left) => left > 0)) return 'cycle'
    return [...depths.values()].some((depth) => depth > maxGroupDepth) ? 'depth' : null
  }
}

/** What can be reached from some groups, breadth first, each with the group from which; null for those themselves. */
function reached(
  from: readonly string[],
  next: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, string | null> {
  const found = new Map<string, string | null>(from.map((group) => [group, null]))
  for (const [group] of found) {
    for (const target of next.get(group) ?? []) if (!found.has(target)) found.set(target, group)
  }
  return found
}
