import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { planeText } from '../../components/words.ts'
import { useChange } from '../../graphql/hooks.ts'
import { usePages } from '../../graphql/pages.ts'
import { useSession } from '../../session/session.tsx'
import {
  CreateScopeDocument,
  DeleteScopeDocument,
  ScopesDocument,
  type ScopesQuery,
  UpdateScopeDocument,
} from './generated/graphql.ts'

type Scope = NonNullable<ScopesQuery['scopes']>['scopes'][number]
type Plane = Scope['planes'][number]

const planes: readonly Plane[] = ['text', 'visual', 'audio', 'doc_visual']
const pick = ({ scopes }: ScopesQuery) => (scopes ? { ...scopes, rows: scopes.scopes } : null)

export const useScopes = () => usePages(ScopesDocument, {}, pick)

/** The scopes with their planes, and whether agents may only read them. */
export function Scopes({ list }: { list: ReturnType<typeof useScopes> }) {
  const perms = useSession().context?.perms ?? []
  const isAdmin = perms.includes('admin')
  const update = useChange(UpdateScopeDocument)
  const remove = useChange(DeleteScopeDocument)
  const deletion: Column<Scope> = {
    title: 'Change',
    width: '88px',
    cell: ({ scope }) => (
      <ConfirmButton
        look="row"
        question="Delete with all Units"
        what={`The scope ${scope} ends, with everything below it: all Units, grants and documents there.`}
        busy={remove.isPending}
        onClick={() => remove.mutate({ scope })}
      >
        Delete
      </ConfirmButton>
    ),
  }
  const columns: readonly Column<Scope>[] = [
    { title: 'Scope', width: 'minmax(176px, 1fr)', cell: ({ scope }) => <SafeText>{scope}</SafeText> },
    ...planes.map(
      (plane): Column<Scope> => ({
        title: planeText(plane),
        width: '104px',
        cell: (row) => (
          <Flag
            label={`${planeText(plane)} in ${row.scope}`}
            value={row.planes.includes(plane)}
            onChange={
              isAdmin &&
              ((value) => {
                const chosen = planes.filter((one) => (one === plane ? value : row.planes.includes(one)))
                update.mutate({ scope: row.scope, input: { planes: chosen } })
              })
            }
          />
        ),
      }),
    ),
    {
      title: 'Agents read only',
      width: '152px',
      cell: ({ scope, readOnlyAgents }) => (
        <Flag
          label={`Agents read only ${scope}`}
          value={readOnlyAgents}
          onChange={isAdmin && ((value) => update.mutate({ scope, input: { readOnlyAgents: value } }))}
        />
      ),
    },
    ...(isAdmin ? [deletion] : []),
  ]
  const error = update.error ?? remove.error
  return (
    <section aria-label="Scopes" className="flex flex-col gap-3">
      <h2>Scopes</h2>
      {error && <Problem error={error} />}
      {list.error && <Problem error={list.error} onRetry={list.refetch} />}
      {!list.error && list.rows.length === 0 && <Empty>No scope yet. Make the first one below.</Empty>}
      {list.rows.length > 0 && (
        <Table
          label="Scopes"
          columns={columns}
          rows={list.rows}
          rowKey={({ scope }) => scope}
          count={list.count}
          onEnd={list.onEnd}
          stale={list.isStale}
        />
      )}
      {perms.includes('write') && <NewScope />}
    </section>
  )
}

interface FlagProps {
  label: string
  value: boolean
  /** `false` for who may only see it. */
  onChange: false | ((value: boolean) => void)
}

const Flag = ({ label, value, onChange }: FlagProps) =>
  onChange ? (
    <input
      type="checkbox"
      className="align-middle"
      aria-label={label}
      checked={value}
      onChange={({ target }) => onChange(target.checked)}
    />
  ) : (
    <span>{value ? 'yes' : 'no'}</span>
  )

function NewScope() {
  const create = useChange(CreateScopeDocument)
  const [scope, setScope] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ input: { scope } }, { onSuccess: () => setScope('') })
  }
  return (
    <form aria-label="New scope" className="flex flex-wrap items-start gap-3" onSubmit={submit}>
      <Field
        className="min-w-72 flex-1"
        label="Path"
        hint="Such as acme/backend"
        required
        value={scope}
        onChange={({ target }) => setScope(target.value.trim())}
      />
      <Button type="submit" className="narrow:mt-6" busy={create.isPending}>
        Make scope
      </Button>
      {create.error && <Problem error={create.error} />}
    </form>
  )
}
