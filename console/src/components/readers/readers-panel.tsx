import { useState } from 'react'
import { useChange, useGraphql } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../button.tsx'
import { Combobox } from '../combobox.tsx'
import { Dialog } from '../dialog.tsx'
import { notify } from '../notifications.tsx'
import { Person } from '../person.tsx'
import { Problem } from '../problem.tsx'
import { SafeText } from '../safe-text.tsx'
import { Verdict } from '../verdict.tsx'
import { counted } from '../words.ts'
import { ExplainReaderDocument, MembersOfGroupDocument, UpdateReadersDocument } from './generated/graphql.ts'
import type { ReadersOf } from './readers-chip.tsx'
import { ReadersField } from './readers-field.tsx'
import { type Directory, useDirectory } from './use-directory.ts'
import { choiceOf, groupOfPerson, groupsOfChoice, isOpenChoice, isPerson, type Reader } from './words.ts'

/** Who may read a Unit or a document, by name; for those who may, the change, and why someone may read it or not. */
export function ReadersPanel({ of, onClose }: { of: ReadersOf; onClose(): void }) {
  const { title, scopes, readers, unitId } = of
  const { context, as } = useSession()
  const directory = useDirectory()
  const [isChanging, setChanging] = useState(false)
  const isOwner = readers?.[0]?.id === context?.principal.principalId
  const mayChange = as === undefined && context?.perms.includes('write') && (isOwner || directory.isAdmin)
  return (
    <Dialog title="Who may read" open onClose={onClose}>
      <div className="flex min-h-0 flex-col gap-3 overflow-y-auto px-4 py-3">
        <p className="text-muted">
          <SafeText className="font-strong text-ink">{title}</SafeText> is open to those listed here, as far as they may
          read <SafeText>{scopes.join(', ')}</SafeText>. A right on the scope alone opens nothing.
        </p>
        {readers ? (
          <ul aria-label="Readers" className="flex flex-col rounded-control border border-line">
            {readers.map((reader) => (
              <li key={`${reader.kind} ${reader.id}`} className="border-b border-line px-3 py-2 last:border-b-0">
                <ReaderLine reader={reader} me={context?.principal.principalId} isAdmin={directory.isAdmin} />
              </li>
            ))}
          </ul>
        ) : (
          <p>Its Units have different readers. Each of them shows its own.</p>
        )}
        {isChanging ? (
          <ChangeReaders
            of={of}
            isOwner={isOwner}
            directory={directory}
            onSaved={onClose}
            onCancel={() => setChanging(false)}
          />
        ) : (
          mayChange && (
            <div>
              <Button look="primary" onClick={() => setChanging(true)}>
                Change
              </Button>
            </div>
          )
        )}
        {directory.isAdmin && !isChanging && <ExplainReader unitId={unitId} directory={directory} />}
      </div>
      {!isChanging && (
        <div className="flex justify-end border-t border-line px-4 py-3">
          <Button onClick={onClose}>Close</Button>
        </div>
      )}
    </Dialog>
  )
}

interface ReaderLineProps {
  reader: Reader
  me: string | undefined
  isAdmin: boolean
}

function ReaderLine({ reader: { kind, id, name }, me, isAdmin }: ReaderLineProps) {
  if (kind === 'everyone') return 'Everyone who may read the scope'
  if (kind === 'group') return <GroupLine name={id} isAdmin={isAdmin} />
  return (
    <span className="flex flex-wrap gap-x-2">
      <Person id={id} name={name} />
      <span className="text-muted">
        {[...(kind === 'owner' ? ['owner'] : []), ...(id === me ? ['you'] : [])].join(', ')}
      </span>
    </span>
  )
}

/** Admins see who is in it. */
function GroupLine({ name, isAdmin }: { name: string; isAdmin: boolean }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error } = useGraphql(MembersOfGroupDocument, { name, limit: 100 }, { enabled: isOpen })
  const page = data?.groupMembers
  return (
    <div className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 flex-1">
          Group <SafeText>{name}</SafeText>
        </span>
        {isAdmin && (
          <Button look="row" className="text-small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            Members of {name}
          </Button>
        )}
      </span>
      {error && <Problem error={error} />}
      {isOpen && page && (
        <ul aria-label={`Members of ${name}`} className="flex flex-col gap-1 border-l-2 border-line pl-3">
          {page.members.map(({ principalId, name: called, direct }) => (
            <li key={principalId}>
              <Person id={principalId} name={called} />
              {!direct && <span className="text-muted"> through another group</span>}
            </li>
          ))}
          {page.count > page.members.length && (
            <li className="text-muted">and {page.count - page.members.length} more</li>
          )}
          {page.count === 0 && <li className="text-muted">Nobody is in it.</li>}
        </ul>
      )}
    </div>
  )
}

interface ChangeReadersProps {
  of: ReadersOf
  isOwner: boolean
  directory: Directory
  onSaved(): void
  onCancel(): void
}

function ChangeReaders({ of, isOwner, directory, onSaved, onCancel }: ChangeReadersProps) {
  const { readers, docId, unitId, scopes } = of
  const [choice, setChoice] = useState(() => choiceOf(readers))
  // A hit may lie outside of the scope of the page.
  const change = useChange(UpdateReadersDocument, docId ? undefined : scopes[0])
  const save = () =>
    change.mutate(
      { input: { ...(docId ? { docId } : { ids: [unitId] }), aclGroups: groupsOfChoice(choice) } },
      {
        onSuccess: ({ updateReaders }) => {
          const units = updateReaders?.matched ?? 0
          notify(`${counted(units, 'Unit has', 'Units have')} these readers now.`)
          onSaved()
        },
      },
    )
  return (
    <form
      aria-label="Change readers"
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <ReadersField
        choice={choice}
        onChange={setChoice}
        directory={directory}
        alone={isOwner ? 'Only me' : 'Only the owner'}
        everyone={scopes.length === 1 ? `Everyone in ${scopes[0]}` : 'Everyone in its scopes'}
      />
      {docId && <p className="text-small text-muted">All its Units that you may change get these readers.</p>}
      {change.error && <Problem error={change.error} />}
      <div className="flex gap-2">
        <Button type="submit" look="primary" busy={change.isPending} disabled={isOpenChoice(choice)}>
          Save
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </form>
  )
}

/** Whether a person may read it, and why. */
function ExplainReader({ unitId, directory: { names } }: { unitId: string; directory: Directory }) {
  const people = new Map([...names].flatMap(([group, name]) => (isPerson(group) ? [[name, group] as const] : [])))
  const [name, setName] = useState('')
  const principalId = people.get(name)?.slice(groupOfPerson('').length) ?? ''
  const { data, error } = useGraphql(ExplainReaderDocument, { principalId, unitId }, { enabled: principalId !== '' })
  const verdict = data?.explainAccess?.read
  return (
    <div className="flex flex-col gap-2">
      <Combobox label="Explain for a person" showLabel items={[...people.keys()]} value={name} onChange={setName} />
      {error && <Problem error={error} />}
      {principalId !== '' && verdict && <Verdict name="Read" {...verdict} />}
    </div>
  )
}
