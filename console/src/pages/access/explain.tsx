import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Verdict } from '../../components/verdict.tsx'
import { useGraphql } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import { useUrl } from '../../session/url.ts'
import { ExplainAccessDocument } from './generated/graphql.ts'

/** Why a principal may, or may not, read and change a Unit or what is in a scope. */
export function Explain() {
  const { get, set } = useUrl()
  const { context } = useSession()
  const [principal, target] = [get('principal') ?? '', get('target') ?? '']
  const [draft, setDraft] = useState({ principal, target })
  const isScope = target === '*' || target.includes('/') || (context?.allowedScopes.includes(target) ?? false)
  const variables = { principalId: principal, ...(isScope ? { scope: target } : { unitId: target }) }
  const { data, error, refetch, isFetching } = useGraphql(ExplainAccessDocument, variables, {
    enabled: principal !== '' && target !== '' && context !== null,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void set({ principal: draft.principal.trim(), target: draft.target.trim() })
  }
  const explanation = data?.explainAccess
  return (
    <>
      <form aria-label="Explain access" className="flex flex-wrap items-start gap-3" onSubmit={submit}>
        <Field
          label="Principal"
          required
          className="min-w-56 flex-1"
          value={draft.principal}
          onChange={(event) => setDraft({ ...draft, principal: event.target.value })}
        />
        <Field
          label="Unit or scope"
          required
          hint="The id of a Unit, a path, or *"
          className="min-w-56 flex-1"
          value={draft.target}
          onChange={(event) => setDraft({ ...draft, target: event.target.value })}
        />
        <Button type="submit" look="primary" className="mt-6" busy={isFetching}>
          Explain
        </Button>
      </form>
      {error && <Problem error={error} onRetry={refetch} />}
      {principal === '' && (
        <Empty>Name a principal, and a Unit or a scope. The reasons for and against appear here.</Empty>
      )}
      {isFetching && !explanation && <Skeleton rows={4} />}
      {explanation && !error && (
        <div className="grid gap-4 wide:grid-cols-2">
          <Verdict name="Read" {...explanation.read} />
          <Verdict name="Write" {...explanation.write} />
          <div>
            <CopyAs document={ExplainAccessDocument} variables={variables} />
          </div>
        </div>
      )}
    </>
  )
}
