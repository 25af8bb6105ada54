import { Button } from '../../components/button.tsx'
import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { dayText } from '../../components/when.tsx'
import { sizeText } from '../../components/words.ts'
import { useChange, useGraphql } from '../../graphql/hooks.ts'
import { CreateBillingPortalDocument, UsageDocument, type UsageQuery } from './generated/graphql.ts'
import { Plans } from './plans.tsx'
import { Plots } from './plots.tsx'

type Stats = NonNullable<UsageQuery['catalogStats']>
type Subscription = NonNullable<UsageQuery['billingSubscription']>

export function UsagePage() {
  const { data, error, refetch, isFetching } = useGraphql(UsageDocument, {})
  return (
    <Page title="Usage and billing" busy={isFetching} actions={<CopyAs document={UsageDocument} variables={{}} />}>
      {error && <Problem error={error} onRetry={refetch} />}
      {!data && !error && <Skeleton rows={8} />}
      {data?.catalogStats && <Figures {...data.catalogStats} />}
      {data?.billingSubscription && (
        <Present {...data.billingSubscription} sells={data.billingPlans?.configured ?? false} />
      )}
      {data?.billingPlans && (
        <Plans
          {...data.billingPlans}
          namespace={data.billingSubscription?.namespace ?? ''}
          tier={data.billingSubscription?.tier ?? ''}
        />
      )}
      {/* Last: how high they are is known when they are drawn, and nothing may move. */}
      {data?.catalogStats && <Plots />}
    </Page>
  )
}

function Figures({ queriesPerDay, storage }: Stats) {
  const figures = [
    ['Units', storage.catalogRows.toLocaleString()],
    ['Vectors', storage.vectors.toLocaleString()],
    ['Sources', sizeText(Math.round(storage.objectStoreGb * 1e9))],
    ['Searches in the last 24 hours', queriesPerDay.toLocaleString()],
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-3 wide:grid-cols-4">
      {figures.map(([name, value]) => (
        <div
          key={name}
          className="flex flex-col-reverse justify-end rounded-surface border border-line bg-surface px-4 py-3"
        >
          <dt className="text-muted">{name}</dt>
          <dd className="text-figure">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Present({ namespace, tier, changesAt, subscriptions, sells }: Subscription & { sells: boolean }) {
  const portal = useChange(CreateBillingPortalDocument)
  const open = async () => {
    const { createBillingPortal } = await portal.mutateAsync({})
    if (createBillingPortal) location.assign(createBillingPortal.url)
  }
  return (
    <section aria-label="Subscription" className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <p className="flex-1">
          <bdi>{namespace}</bdi> has the <strong>{tier}</strong> tier
          {changesAt ? `, until ${dayText(changesAt)} without further payment.` : '.'}
        </p>
        {sells && subscriptions.length > 0 && (
          <Button busy={portal.isPending} onClick={() => void open().catch(() => undefined)}>
            Change or cancel
          </Button>
        )}
      </div>
      {portal.error && <Problem error={portal.error} />}
      {subscriptions.length > 0 && (
        <Table label="Purchases" columns={purchases} rows={subscriptions} rowKey={({ id }) => id} />
      )}
      {subscriptions.length === 0 && sells && <Empty>Nothing has been bought. The plans are below.</Empty>}
    </section>
  )
}

const purchases: readonly Column<Subscription['subscriptions'][number]>[] = [
  { title: 'Tier', cell: ({ tier }) => tier ?? 'unknown' },
  { title: 'Paid', cell: ({ cadence }) => cadence ?? '' },
  {
    title: 'Status',
    cell: ({ status, active }) => <span className={active ? 'text-ok' : 'text-muted'}>{status}</span>,
  },
  { title: 'Paid until', cell: ({ periodEnd, endsAt }) => dayText(endsAt ?? periodEnd) },
]
