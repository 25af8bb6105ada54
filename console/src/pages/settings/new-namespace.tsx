import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { useUrl } from '../../session/url.ts'
import { CreateNamespaceDocument } from './generated/graphql.ts'

/** Registers a namespace, and goes there. */
export function NewNamespace() {
  const { set } = useUrl()
  const create = useChange(CreateNamespaceDocument)
  const [namespace, setNamespace] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({ input: { namespace } }, { onSuccess: () => void set({ namespace, scope: undefined }) })
  }
  return (
    <section aria-label="New namespace" className="flex flex-col gap-3">
      <h2>New namespace</h2>
      <form className="flex flex-wrap items-start gap-3" onSubmit={submit}>
        <Field
          className="min-w-72 flex-1"
          label="Name"
          hint="Small letters, digits and hyphens. A name is never given again."
          required
          pattern="[a-z0-9][a-z0-9\-]{1,62}"
          value={namespace}
          onChange={({ target }) => setNamespace(target.value.trim())}
        />
        <Button type="submit" className="narrow:mt-6" busy={create.isPending}>
          Register
        </Button>
      </form>
      {create.error && <Problem error={create.error} />}
    </section>
  )
}
