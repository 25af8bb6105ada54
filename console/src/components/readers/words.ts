import { counted } from '../words.ts'

/** One of those who may read a Unit, as GraphQL answers it. */
export interface Reader {
  kind: 'everyone' | 'group' | 'owner' | 'person'
  id: string
  name?: string | null | undefined
}

/** In the list of groups of a Unit, a principal is a group of its own. */
const personal = 'user:'
export const groupOfPerson = (principalId: string): string => personal + principalId
export const isPerson = (group: string): boolean => group.startsWith(personal)

const people = (count: number) => counted(count, 'person', 'people')

/** Who may read something, in a few words. `readers`: null where its parts differ. `me`: the caller's id. */
export function readersText(
  readers: readonly Reader[] | null | undefined,
  scopes: readonly string[],
  me: string | undefined,
): string {
  if (!readers) return 'different readers'
  const everyone = scopes.length === 1 ? scopes[0] : counted(scopes.length, 'scope')
  if (readers.some(({ kind }) => kind === 'everyone')) return `everyone in ${everyone}`
  const [group, ...groups] = readers.filter(({ kind }) => kind === 'group')
  const [owner] = readers
  const persons = readers.filter(({ kind }) => kind === 'person').length
  if (group !== undefined) {
    const named = groups.length === 0 ? `group ${group.id}` : `${groups.length + 1} groups`
    return persons === 0 ? named : `${named} and ${people(persons)}`
  }
  if (persons > 0) return people(persons + 1)
  return owner?.id === me ? 'only you' : `only ${owner?.name ?? owner?.id ?? 'its owner'}`
}

/** Who shall read something. */
export interface ReadersChoice {
  kind: 'owner' | 'everyone' | 'chosen'
  /** Groups and people, as a Unit names them. */
  chosen: readonly string[]
}

export const groupsOfChoice = ({ kind, chosen }: ReadersChoice): string[] =>
  kind === 'owner' ? [] : kind === 'everyone' ? ['*'] : [...chosen]

/** Whether it says who: groups or people were to be named, and none is. */
export const isOpenChoice = ({ kind, chosen }: ReadersChoice): boolean => kind === 'chosen' && chosen.length === 0

export function choiceOf(readers: readonly Reader[] | null | undefined): ReadersChoice {
  const others = (readers ?? []).filter(({ kind }) => kind !== 'owner')
  const chosen = others.flatMap(({ kind, id }) =>
    kind === 'person' ? [groupOfPerson(id)] : kind === 'group' ? [id] : [],
  )
  if (others.some(({ kind }) => kind === 'everyone')) return { kind: 'everyone', chosen }
  return { kind: chosen.length === 0 ? 'owner' : 'chosen', chosen }
}
