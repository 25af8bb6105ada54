import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Problem } from '../../components/problem.tsx'
import type { ServiceError } from '../../graphql/service-error.ts'
import { AccessTable, type AccessTableProps } from './access-table.tsx'

export interface ListWithFormProps<Row> extends AccessTableProps<Row> {
  /** The name of the button that opens the form, and closes it. */
  make: string
  form(close: () => void): ReactNode
  /** Of the last change to a row. */
  error: ServiceError | null
}

/** A list, and above it the form that adds to it. */
export function ListWithForm<Row>({ make, form, error, ...table }: ListWithFormProps<Row>) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {table.list.error?.status !== 403 && (
        <div>
          <Button look={isOpen ? 'plain' : 'primary'} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {make}
          </Button>
        </div>
      )}
      {isOpen && form(() => setOpen(false))}
      {error && <Problem error={error} />}
      <AccessTable {...table} />
    </>
  )
}

/** The column of the button that takes something back. It asks first, and `whatEnds` says what that means. */
export const revokeColumn = <Row extends { id: string }>(
  revoke: { isPending: boolean; mutate(variables: { id: string }): void },
  whatEnds: (row: Row) => string,
  isOpen: (row: Row) => boolean = () => true,
) => ({
  title: 'Change',
  width: '88px',
  cell: (row: Row) =>
    isOpen(row) && (
      <ConfirmButton
        look="row"
        question="Revoke"
        what={whatEnds(row)}
        busy={revoke.isPending}
        onClick={() => revoke.mutate({ id: row.id })}
      >
        Revoke
      </ConfirmButton>
    ),
})
