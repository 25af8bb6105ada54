import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import type { ServiceError } from '../../graphql/service-error.ts'

export interface FormPanelProps {
  label: string
  /** The name of the button that sends it. */
  action: string
  /** What sending it does, and how that went. */
  change: { isPending: boolean; error: ServiceError | null }
  onSubmit(): void
  disabled?: boolean
  children: ReactNode
}

/** A form in place: its fields in rows, what went wrong below. */
export function FormPanel({ label, action, change, onSubmit, disabled, children }: FormPanelProps) {
  return (
    <form
      aria-label={label}
      className="flex flex-wrap items-start gap-4 max-wide:flex-col max-wide:items-stretch rounded-surface border border-line bg-surface p-4"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      {children}
      <Button
        type="submit"
        look="primary"
        className="max-wide:self-start wide:mt-6"
        busy={change.isPending}
        disabled={disabled}
      >
        {action}
      </Button>
      {change.error && <Problem error={change.error} />}
    </form>
  )
}
