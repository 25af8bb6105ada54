import { useState } from 'react'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'
import { scopeTitle } from '../../components/words.ts'
import { useSession } from '../../session/session.tsx'
import { Choices } from './choices.tsx'
import type { Permission } from './generated/graphql.ts'
import { groupsOf, permissions } from './words.ts'

/** What a grant gives, as it is being typed; `input` is what the service takes. */
export function useRights() {
  const [scope, setScope] = useState('*')
  const [perms, setPerms] = useState<Permission[]>(['read'])
  const [groups, setGroups] = useState('')
  return { scope, setScope, perms, setPerms, groups, setGroups, input: { scope, perms, groups: groupsOf(groups) } }
}

export interface RightsFieldsProps {
  rights: ReturnType<typeof useRights>
  scopeLabel: string
  groupsHint: string
}

/** The fields of a grant, whether it is given now or by an invitation. */
export function RightsFields({ rights, scopeLabel, groupsHint }: RightsFieldsProps) {
  const { context } = useSession()
  return (
    <>
      <Combobox
        label={scopeLabel}
        showLabel
        items={['*', ...(context?.allowedScopes ?? [])]}
        wordsOf={scopeTitle}
        value={rights.scope}
        onChange={rights.setScope}
      />
      <Choices label="Permissions" options={permissions} chosen={rights.perms} onChange={rights.setPerms} />
      <GroupsField hint={groupsHint} value={rights.groups} onChange={rights.setGroups} />
    </>
  )
}

export function GroupsField({ hint, value, onChange }: { hint: string; value: string; onChange(text: string): void }) {
  return <Field label="Groups" hint={hint} value={value} onChange={({ target }) => onChange(target.value)} />
}
