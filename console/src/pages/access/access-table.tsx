import type { ReactNode } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import type { ServiceError } from '../../graphql/service-error.ts'

export interface AccessTableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  list: {
    rows: readonly Row[]
    count: number
    isPending: boolean
    isStale: boolean
    error: ServiceError | null
    refetch(): unknown
    onEnd(): void
  }
  rowKey(row: Row): string
  empty: ReactNode
}

/** A table in each of its states. What only admins see says so. */
export function AccessTable<Row>({ label, columns, list, rowKey, empty }: AccessTableProps<Row>) {
  if (list.error?.status === 403) return <AdminsOnly />
  if (list.error) return <Problem error={list.error} onRetry={list.refetch} />
  if (list.isPending) return <Skeleton rows={8} />
  if (list.rows.length === 0) return <Empty>{empty}</Empty>
  return (
    <Table
      label={label}
      columns={columns}
      rows={list.rows}
      rowKey={rowKey}
      count={list.count}
      onEnd={list.onEnd}
      stale={list.isStale}
    />
  )
}
