import { useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { Plot } from '../../components/plot.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { request } from '../../graphql/transport.ts'
import { useSelection } from '../../session/selection.ts'
import { AuditDaysDocument, type AuditDaysQuery, type AuditFilterInput } from './generated/graphql.ts'
import { verbText } from './verbs.ts'

const dayCount = 14
const colours = ['text-accent', 'text-ok', 'text-warn', 'text-plane-visual']
const names = Array.from({ length: dayCount }, (_, i) => `d${i}`)

interface DaysProps {
  /** That of the page; its days are not used. */
  filter: AuditFilterInput | null
  /** Of the listed rows: the most frequent ones have a colour of their own. */
  actions: readonly string[]
}

/** Events of the last two weeks by day of the reader's clock and by action. The service counts what the caller may see. */
export function Days({ filter, actions }: DaysProps) {
  const selection = useSelection()
  const [today] = useState(() => new Date())
  const starts = names.map((_, i) => startOf(today, i + 1 - dayCount))
  const shown = filter?.action ? [filter.action] : mostFrequent(actions)
  // One request counts all, and one each of the actions.
  const asked = filter?.action ? shown : [undefined, ...shown]
  const results = useQueries({
    queries: asked.map((action) => ({
      queryKey: ['audit days', selection.namespace, selection.scope, filter, action, starts[0]],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request(AuditDaysDocument, variablesOf({ ...filter, action }, starts), { selection, signal }),
      staleTime: 60_000,
    })),
  })
  if (results.some(({ error }) => error)) return null
  if (results.some(({ data }) => data === undefined)) return <Skeleton height={280} />
  const counts = results.map(({ data }) => countsOf(data))
  const parts = shown.map((action, i) => ({
    name: verbText(action),
    wire: action,
    className: action === 'request.refused' ? 'text-danger' : (colours[i] ?? ''),
    values: counts[filter?.action ? i : i + 1] ?? [],
  }))
  const others = {
    name: 'all others',
    className: 'text-muted',
    values: names.map(
      (_, day) => (counts[0]?.[day] ?? 0) - parts.reduce((sum, one) => sum + (one.values[day] ?? 0), 0),
    ),
  }
  return (
    <Plot
      title="Events by day"
      kind="bars"
      labels={starts.map((start) => new Date(start).toLocaleDateString(undefined, { month: 'short', day: 'numeric' }))}
      series={filter?.action ? parts : [...parts, others]}
    />
  )
}

const startOf = (day: Date, by: number) => new Date(day.getFullYear(), day.getMonth(), day.getDate() + by).getTime()

const variablesOf = (filter: AuditFilterInput, starts: readonly number[]) =>
  Object.fromEntries(
    names.map((name, i) => {
      const next = starts[i + 1]
      return [name, { ...filter, after: starts[i], before: next === undefined ? undefined : next - 1 }]
    }),
  )

const countsOf = (data: AuditDaysQuery | undefined) =>
  names.map((name) => data?.[name as keyof Omit<AuditDaysQuery, '__typename'>]?.count ?? 0)

function mostFrequent(actions: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const action of actions) counts.set(action, (counts.get(action) ?? 0) + 1)
  return [...counts]
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .slice(0, colours.length)
    .map(([action]) => action)
}
