import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Field } from '../../components/field.tsx'
import { useSession } from '../../session/session.tsx'
import type { UploadTarget } from './upload.ts'

/** Where files go, and who may read them. */
export function useUploadTarget() {
  const { scope: selected, context } = useSession()
  const [scope, setScope] = useState('')
  const [groups, setGroups] = useState('')
  const [only] = context?.allowedScopes.length === 1 ? context.allowedScopes : []
  const chosen = scope || (selected === '*' ? (only ?? '') : selected)
  const target: UploadTarget = {
    scope: chosen === '' ? undefined : chosen,
    aclGroups: groups.split(/[\s,]+/).filter((group) => group !== ''),
  }
  return { target, chosen, groups, setScope, setGroups, scopes: context?.allowedScopes ?? [] }
}

export interface UploadBarProps {
  to: ReturnType<typeof useUploadTarget>
  onFiles(files: readonly File[]): void
}

export function UploadBar({ to, onFiles }: UploadBarProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <section aria-label="Upload files" className="flex flex-wrap items-start gap-3">
      <Combobox
        label="Destination"
        showLabel
        items={to.scopes}
        value={to.chosen}
        onChange={to.setScope}
        className="min-w-48 flex-1"
      />
      <Field
        label="Groups that may read"
        hint="Separated by commas; * is everyone in the scope, none is you alone"
        className="min-w-48 flex-1"
        value={to.groups}
        onChange={({ target }) => to.setGroups(target.value)}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files"
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <Button look="primary" className="mt-6" onClick={() => input.current?.click()}>
        Upload
      </Button>
    </section>
  )
}
