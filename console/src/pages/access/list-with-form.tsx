import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
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
      <div>
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {make}
        </Button>
      </div>
      {isOpen && form(() => setOpen(false))}
      {error && <Problem error={error} />}
      <AccessTable {...table} />
    </>
  )
}

/** The column of the button that takes something back. */
export const revokeColumn = <Row extends { id: string }>(
  revoke: { isPending: boolean; mutate(variables: { id: string }): void },
  isOpen: (row: Row) => boolean = () => true,
) => ({
  title: 'Change',
  width: '104px',
  cell: (row: Row) =>
    isOpen(row) && (
      <Button look="quiet" className="h-7!" busy={revoke.isPending} onClick={() => revoke.mutate({ id: row.id })}>
        Revoke
      </Button>
    ),
})
