import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Field, SelectField } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { momentText } from '../../components/when.tsx'
import { hiddenCounts, planesText, planeText, scopeTitle } from '../../components/words.ts'
import { curlOf } from '../../graphql/as-text.ts'
import { useChange, useGraphql } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import { Choices } from './choices.tsx'
import { CreateApiKeyDocument, OwnWidthDocument, type Permission, type Plane } from './generated/graphql.ts'
import { ShownOnce } from './shown-once.tsx'
import { allPlanes, endOfDay, permissions } from './words.ts'

/** Without `exact`: a key cannot tell more than its namespace. */
const hiddenUnits = { asNamespace: 'as the namespace', some: hiddenCounts.some, off: hiddenCounts.off } as const
type HiddenUnits = keyof typeof hiddenUnits

/** Makes a key of one's own, and says what it will be able to do before it is made. */
export function NewKey({ onDone }: { onDone(): void }) {
  const { namespace, context } = useSession()
  const create = useChange(CreateApiKeyDocument)
  const [name, setName] = useState('')
  const [perms, setPerms] = useState<Permission[]>(['read'])
  const [planes, setPlanes] = useState<Plane[]>([...allPlanes])
  const own = context?.principal.groups ?? []
  const [left, setLeft] = useState<readonly string[]>([])
  const [scope, setScope] = useState('*')
  const [day, setDay] = useState('')
  const [hidden, setHidden] = useState<HiddenUnits>('asNamespace')
  const groups = own.filter((group) => !left.includes(group))
  const expiresAt = day === '' ? null : endOfDay(day)
  const prefix = scope === '*' ? null : scope
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({
      input: {
        name,
        perms,
        scopePrefix: prefix,
        expiresAt,
        ...(planes.length === allPlanes.length ? {} : { planes }),
        ...(left.length === 0 ? {} : { groups }),
        ...(hidden === 'asNamespace' ? {} : { hiddenCount: hidden }),
      },
    })
  }
  const made = create.data?.createApiKey
  if (made) {
    const example = curlOf('/v1/search', { q: '…' }, { namespace, scope: prefix ?? '*' })
    return (
      <ShownOnce label={`Key ${made.key.name}`} hint="Keep it now." value={made.token} onDone={onDone}>
        <div className="flex w-full flex-col gap-1">
          <p className="text-small text-muted">Use it in place of $TOKEN:</p>
          {/* What scrolls must be in reach of the keyboard. */}
          <pre tabIndex={0} className="overflow-x-auto rounded-control bg-hover px-3 py-2">
            <SafeText>{example}</SafeText>
          </pre>
        </div>
      </ShownOnce>
    )
  }
  return (
    <form
      aria-label="New key"
      className="grid gap-4 rounded-surface border border-line bg-surface p-4 wide:grid-cols-2"
      onSubmit={submit}
    >
      <Field
        label="Name"
        required
        pattern="[A-Za-z0-9\-]{1,32}"
        hint="Letters, digits, hyphens; a part of the key"
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <Combobox
        label="Key scope"
        showLabel
        items={['*', ...(context?.allowedScopes ?? [])]}
        wordsOf={scopeTitle}
        value={scope}
        onChange={setScope}
      />
      <Choices label="Permissions" options={permissions} chosen={perms} onChange={setPerms} />
      <Choices label="Planes" options={allPlanes} wordsOf={planeText} chosen={planes} onChange={setPlanes} />
      {own.length > 0 && (
        <Choices
          label="Groups"
          options={own}
          chosen={groups}
          onChange={(chosen) => setLeft(own.filter((group) => !chosen.includes(group)))}
        />
      )}
      <Field label="Last day" type="date" value={day} onChange={({ target }) => setDay(target.value)} />
      <SelectField
        label="Hidden Units"
        hint="What searches and lists tell this key about Units that it may not read; the namespace can tell less."
        options={hiddenUnits}
        value={hidden}
        onChange={setHidden}
      />
      <Width
        namespace={namespace}
        prefix={prefix}
        perms={perms}
        planes={planes}
        groups={groups}
        hidden={hidden}
        expiresAt={expiresAt}
      />
      <div className="flex flex-col items-start gap-3 wide:col-span-2">
        {create.error && <Problem error={create.error} />}
        <Button
          type="submit"
          look="primary"
          busy={create.isPending}
          disabled={perms.length === 0 || planes.length === 0}
        >
          Create key
        </Button>
      </div>
    </form>
  )
}

interface WidthProps {
  namespace: string
  prefix: string | null
  perms: readonly Permission[]
  planes: readonly Plane[]
  groups: readonly string[]
  hidden: HiddenUnits
  expiresAt: number | null
}

/** What is left of one's own rights within the key's restrictions, as the service has them now. */
function Width({ namespace, prefix, perms, planes, groups, hidden, expiresAt }: WidthProps) {
  const selection = { namespace: namespace || undefined, scope: prefix ?? '*' }
  const { data, error, isPlaceholderData } = useGraphql(OwnWidthDocument, {}, { selection })
  const context = data?.context
  const effective = perms.filter((perm) => context?.perms.includes(perm))
  const scopes = context?.effectiveScopes ?? []
  return (
    <section
      aria-label="What this key can do"
      className={`flex flex-col gap-1 rounded-control bg-hover px-4 py-3 wide:col-span-2 ${isPlaceholderData ? 'stale' : ''}`}
    >
      <h2>What this key can do</h2>
      {error && <Problem error={error} />}
      {context && effective.length === 0 && (
        <p className="text-warn">Nothing: you have none of these permissions there.</p>
      )}
      {context && effective.length > 0 && (
        <ul className="list-disc pl-5">
          <li>{effective.join(', ')}</li>
          <li>
            in {scopes.length} {scopes.length === 1 ? 'scope' : 'scopes'}: <SafeText>{shortList(scopes)}</SafeText>
          </li>
          <li>planes: {planesText(planes)}</li>
          <li>
            Units open to everyone there, to you{groups.length > 0 ? ', and to ' : ''}
            <SafeText>{groups.join(', ')}</SafeText>
          </li>
          <li>hidden Units: {hiddenUnits[hidden]}</li>
          <li>{expiresAt === null ? 'until it is revoked' : `until ${momentText(expiresAt)}`}</li>
        </ul>
      )}
    </section>
  )
}

const shortList = (items: readonly string[]) =>
  items.length <= 8 ? items.join(', ') : `${items.slice(0, 8).join(', ')} and ${items.length - 8} more`
