import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ComboboxMany } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Person } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { MembersOfGroupDocument, type MembersOfGroupQuery } from '../../components/readers/generated/graphql.ts'
import { useDirectory } from '../../components/readers/use-directory.ts'
import { groupOfPerson, isPerson } from '../../components/readers/words.ts'
import { SafeText } from '../../components/safe-text.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { usePages, useRest } from '../../graphql/pages.ts'
import { ChangeGroupDocument, type GroupsQuery, RenameGroupDocument } from './generated/graphql.ts'

export type Group = NonNullable<GroupsQuery['groups']>['groups'][number]

export interface EditGroupProps {
  group: Group
  /** It has another name now. */
  onRename(name: string): void
  onClose(): void
}

const membersOf = ({ groupMembers }: MembersOfGroupQuery) =>
  groupMembers ? { ...groupMembers, rows: groupMembers.members } : null

/** The names of a group, its members, and the groups whose members are in it, too. Each change counts at once. */
export function EditGroup({ group, onRename, onClose }: EditGroupProps) {
  const { name } = group
  const members = usePages(MembersOfGroupDocument, { name, limit: 100 }, membersOf)
  useRest(members, 1_000)
  const change = useChange(ChangeGroupDocument)
  const [people, setPeople] = useState<string[]>([])
  const [groups, setGroups] = useState<string[]>([])
  const error = change.error ?? members.error
  const add = (event: FormEvent) => {
    event.preventDefault()
    const input = { ...(people.length > 0 && { add: people }), ...(groups.length > 0 && { addGroups: groups }) }
    change.mutate(
      { name, input },
      {
        onSuccess: () => {
          setPeople([])
          setGroups([])
        },
      },
    )
  }
  return (
    <Dialog title={`Group ${name}`} open onClose={onClose}>
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 py-3">
        <GroupNames group={group} onRename={onRename} />
        {error && <Problem error={error} />}
        <section aria-label="In the group" className="flex flex-col gap-1">
          <h3>In the group</h3>
          <ul tabIndex={0} className="flex max-h-52 flex-col overflow-y-auto rounded-control border border-line">
            {group.groups.map((held) => (
              <Line
                key={`group ${held}`}
                name={held}
                onRemove={() => change.mutate({ name, input: { removeGroups: [held] } })}
              >
                All members of group <SafeText>{held}</SafeText>
              </Line>
            ))}
            {members.rows.map(({ principalId, name: called, direct }) => (
              <Line
                key={principalId}
                name={called ?? principalId}
                onRemove={direct ? () => change.mutate({ name, input: { remove: [principalId] } }) : undefined}
              >
                <Person id={principalId} name={called} />
                {!direct && <span className="text-muted"> through another group</span>}
              </Line>
            ))}
            {members.rows.length + group.groups.length === 0 && <li className="px-3 py-2 text-muted">Nobody yet.</li>}
          </ul>
        </section>
        <form aria-label="Add to the group" className="flex flex-col gap-3" onSubmit={add}>
          <PickPeople label="Add people" chosen={people} onChange={setPeople} />
          <PickGroups own={group} chosen={groups} onChange={setGroups} />
          <div className="flex gap-2">
            <Button type="submit" look="primary" busy={change.isPending} disabled={people.length + groups.length === 0}>
              Add
            </Button>
          </div>
        </form>
      </div>
      <div className="flex justify-end border-t border-line px-4 py-3">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}

interface LineProps {
  name: string
  /** Absent for one that another group brings. */
  onRemove: (() => void) | undefined
  children: React.ReactNode
}

function Line({ name, onRemove, children }: LineProps) {
  return (
    <li className="flex min-h-9 items-center gap-2 border-b border-line px-3 py-1 last:border-b-0">
      <span className="min-w-0 flex-1">{children}</span>
      {onRemove && (
        <Button look="row" className="text-small" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      )}
    </li>
  )
}

interface PickGroupsProps {
  own: Group
  chosen: readonly string[]
  onChange(chosen: string[]): void
}

function PickGroups({ own, chosen, onChange }: PickGroupsProps) {
  const { names } = useDirectory()
  const groups = [...names.keys()].filter((name) => !isPerson(name) && name !== own.name && !own.groups.includes(name))
  return (
    <ComboboxMany
      label="Add groups"
      showLabel
      hint="Their members are in this group then, too"
      items={groups}
      nameOf={(name) => names.get(name) ?? name}
      chosen={chosen}
      onChange={onChange}
    />
  )
}

/** A new name is the same group: its members, and what is open to it, stay. */
function GroupNames({ group, onRename }: Pick<EditGroupProps, 'group' | 'onRename'>) {
  const change = useChange(ChangeGroupDocument)
  const rename = useChange(RenameGroupDocument)
  const [name, setName] = useState(group.name)
  const [displayName, setDisplayName] = useState(group.displayName ?? '')
  const isRenamed = name.trim() !== group.name
  const isDescribed = displayName !== (group.displayName ?? '')
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (isDescribed) await change.mutateAsync({ name: group.name, input: { displayName } })
    if (!isRenamed) return
    await rename.mutateAsync({ name: group.name, newName: name.trim() })
    onRename(name.trim())
  }
  const error = change.error ?? rename.error
  return (
    <form
      aria-label="Names of the group"
      className="flex flex-wrap items-start gap-3"
      // What failed stands below.
      onSubmit={(event) => void save(event).catch(() => undefined)}
    >
      <GroupNameFields name={name} displayName={displayName} onName={setName} onDisplayName={setDisplayName} />
      <Button
        type="submit"
        className="wide:mt-6"
        busy={change.isPending || rename.isPending}
        disabled={(!isRenamed && !isDescribed) || name.trim() === ''}
      >
        Save names
      </Button>
      {error && <Problem error={error} />}
    </form>
  )
}

export interface GroupNameFieldsProps {
  name: string
  displayName: string
  onName(name: string): void
  onDisplayName(displayName: string): void
}

/** What access lists call a group, and what people do. */
export const GroupNameFields = ({ name, displayName, onName, onDisplayName }: GroupNameFieldsProps) => (
  <>
    <Field
      label="Group"
      required
      maxLength={128}
      hint="As access lists name it"
      className="min-w-40 flex-1"
      value={name}
      onChange={({ target }) => onName(target.value)}
    />
    <Field
      label="Name"
      maxLength={128}
      hint="For people to read"
      className="min-w-40 flex-1"
      value={displayName}
      onChange={({ target }) => onDisplayName(target.value)}
    />
  </>
)

export interface PickPeopleProps {
  label: string
  /** Ids of principals. */
  chosen: readonly string[]
  onChange(chosen: string[]): void
}

export function PickPeople({ label, chosen, onChange }: PickPeopleProps) {
  const { names, guests } = useDirectory()
  const ids = [...names.keys()]
    .filter((group) => isPerson(group) && !guests.has(group))
    .map((group) => group.slice(groupOfPerson('').length))
  return (
    <ComboboxMany
      label={label}
      showLabel
      className="min-w-56 flex-1"
      hint="Guests get groups with their invitation or grant"
      items={ids}
      nameOf={(id) => names.get(groupOfPerson(id)) ?? id}
      chosen={chosen}
      onChange={onChange}
    />
  )
}
