import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { copy } from '../../components/clipboard.ts'
import { Field } from '../../components/field.tsx'

export interface ShownOnceProps {
  label: string
  value: string
  /** What to do with it. */
  hint: string
  children?: ReactNode
  onDone(): void
}

/** A secret that the service does not show again. */
export function ShownOnce({ label, value, hint, children, onDone }: ShownOnceProps) {
  return (
    <div className="flex flex-wrap items-start gap-3 rounded-surface border border-ok bg-surface p-4">
      <Field
        label={label}
        hint={`${hint} It is shown this once.`}
        readOnly
        value={value}
        className="min-w-64 flex-1"
        onFocus={({ target }) => target.select()}
      />
      <Button className="wide:mt-6" onClick={() => void copy(value, label)}>
        Copy
      </Button>
      <Button className="wide:mt-6" look="quiet" onClick={onDone}>
        Done
      </Button>
      {children}
    </div>
  )
}
