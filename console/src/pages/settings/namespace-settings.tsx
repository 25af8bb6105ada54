import { type FormEvent, useState } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { SelectField } from '../../components/field.tsx'
import { NamedPerson } from '../../components/named-person.tsx'
import { notify } from '../../components/notifications.tsx'
import { Problem } from '../../components/problem.tsx'
import { useDirectory } from '../../components/readers/use-directory.ts'
import { groupOfPerson, isPerson } from '../../components/readers/words.ts'
import { SafeText } from '../../components/safe-text.tsx'
import { hiddenCounts, planesText } from '../../components/words.ts'
import { useChange, useGraphql } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import {
  OwnNamespaceDocument,
  type OwnNamespaceQuery,
  TransferNamespaceDocument,
  UpdateNamespaceDocument,
} from './generated/graphql.ts'

type Namespace = NonNullable<OwnNamespaceQuery['namespace']>

export function useOwnNamespace() {
  const { namespace } = useSession()
  return useGraphql(OwnNamespaceDocument, { name: namespace }, { enabled: namespace !== '' })
}

/** What the namespace is, and whose. */
export function NamespaceSettings({ own }: { own: ReturnType<typeof useOwnNamespace> }) {
  const { context } = useSession()
  const { data, error, refetch } = own
  if (error?.status === 403) return <AdminsOnly />
  if (error) return <Problem error={error} onRetry={refetch} />
  if (!data?.namespace) return null
  const isOwner = data.namespace.owner === context?.principal.principalId
  return (
    <section aria-label="Namespace" className="flex flex-col gap-3">
      <h2>Namespace</h2>
      <Facts {...data.namespace} />
      <HiddenUnits key={data.namespace.namespace} {...data.namespace} />
      {data.namespace.registered && <Ownership namespace={data.namespace} isOwner={isOwner} />}
    </section>
  )
}

function Facts({ namespace, tier, owner, planes, registered, maxNamespaces }: Namespace) {
  const facts = [
    ['Name', namespace],
    ['Tier', tier],
    ['Owner', owner ? <NamedPerson key={owner} id={owner} /> : 'none'],
    ['Planes', planesText(planes)],
    ['Registered', registered ? 'yes' : 'no: register a name below to keep it'],
    ['Namespaces in all', maxNamespaces ? `at most ${maxNamespaces}` : 'without a limit'],
  ] as const
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 rounded-surface border border-line bg-surface p-4">
      {facts.map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-muted">{name}</dt>
          <dd>{typeof value === 'string' ? <SafeText>{value}</SafeText> : value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Saved as it is chosen. */
function HiddenUnits({ namespace, hiddenCount }: Namespace) {
  const update = useChange(UpdateNamespaceDocument)
  const chosen = update.isPending ? update.variables.input.hiddenCount : null
  return (
    <>
      <SelectField
        label="Hidden Units"
        hint="What searches and lists tell callers about Units that they may not read; a key can tell less."
        options={hiddenCounts}
        value={chosen ?? hiddenCount}
        onChange={(next) => update.mutate({ input: { namespace, hiddenCount: next } })}
      />
      {update.error && <Problem error={update.error} />}
    </>
  )
}

function Ownership({ namespace, isOwner }: { namespace: Namespace; isOwner: boolean }) {
  const transfer = useChange(TransferNamespaceDocument)
  const [principalId, setPrincipalId] = useState('')
  const { names } = useDirectory()
  const people = [...names.keys()].filter(isPerson).map((group) => group.slice(groupOfPerson('').length))
  const named = (id: string) => names.get(groupOfPerson(id)) ?? id
  const submit = () =>
    transfer.mutate(
      { input: { namespace: namespace.namespace, principalId } },
      { onSuccess: () => notify(`${named(principalId)} owns ${namespace.namespace}`) },
    )
  if (!isOwner) return <p className="text-muted">Only the owner can make another principal the owner.</p>
  return (
    <form
      aria-label="Ownership"
      className="flex flex-wrap items-start gap-3"
      onSubmit={(event: FormEvent) => event.preventDefault()}
    >
      <Combobox
        className="min-w-72"
        label="New owner"
        showLabel
        items={people}
        nameOf={named}
        value={principalId}
        onChange={setPrincipalId}
      />
      <ConfirmButton
        className="narrow:mt-6"
        question={`Give it to ${named(principalId)}`}
        what={`${named(principalId)} becomes the owner, and may do with this namespace what you may now.`}
        busy={transfer.isPending}
        disabled={principalId === ''}
        onClick={submit}
      >
        Transfer
      </ConfirmButton>
      <p className="w-full text-small text-muted">The new owner must be an admin here. You keep your grants.</p>
      {transfer.error && <Problem error={transfer.error} />}
    </form>
  )
}
