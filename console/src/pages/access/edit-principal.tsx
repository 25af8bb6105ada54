import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { nameOf } from '../../components/person.tsx'
import { Problem } from '../../components/problem.tsx'
import { useChange } from '../../graphql/hooks.ts'
import { UpdatePrincipalDocument } from './generated/graphql.ts'
import type { Principal } from './lists.ts'

/** A button that opens what can be changed of a principal. Its groups are changed where groups are. */
export function EditPrincipal({ principalId, name, email, readOnly }: Principal) {
  const [isOpen, setOpen] = useState(false)
  const change = useChange(UpdatePrincipalDocument)
  const close = () => {
    setOpen(false)
    change.reset()
  }
  const save = (form: FormData) => {
    const typed = String(form.get('name') ?? '').trim()
    const input = { readOnly: form.has('readOnly'), ...(typed !== '' && { name: typed }) }
    change.mutate({ id: principalId, input }, { onSuccess: close })
  }
  return (
    <>
      <Button look="row" aria-label={`Edit ${nameOf(principalId, name)}`} onClick={() => setOpen(true)}>
        Edit
      </Button>
      <Dialog title={`Edit ${nameOf(principalId, name)}`} open={isOpen} onClose={close}>
        <form
          className="flex flex-col gap-3 p-4"
          onSubmit={(event) => {
            event.preventDefault()
            save(new FormData(event.currentTarget))
          }}
        >
          {/* That of a person comes with the sign-in. */}
          {!email && <Field label="Name" name="name" maxLength={128} defaultValue={name ?? ''} />}
          <label className="flex min-h-8 items-center gap-2">
            <input type="checkbox" name="readOnly" defaultChecked={readOnly} />
            Read only
          </label>
          {change.error && <Problem error={change.error} />}
          <div className="flex justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary" busy={change.isPending}>
              Save
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
