import { Button } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { counted, planesText } from '../../components/words.ts'
import { useChange } from '../../graphql/hooks.ts'
import { CreateCheckoutDocument, type UsageQuery } from './generated/graphql.ts'

type AllPlans = NonNullable<UsageQuery['billingPlans']>
type Plan = AllPlans['plans'][number]
type Offer = Plan['offers'][number]

/** What each tier includes, and what it costs where something is sold. */
export function Plans({ plans, configured, namespace, tier }: AllPlans & { namespace: string; tier: string }) {
  const checkout = useChange(CreateCheckoutDocument)
  const buy = async (input: { tier: Plan['tier']; cadence: Offer['cadence'] }) => {
    const { createCheckout } = await checkout.mutateAsync({ input })
    if (createCheckout) location.assign(createCheckout.url)
  }
  // Where nothing is sold, what else there is matters only to one who lacks something.
  const shown = configured || tier === 'free' ? plans : plans.filter((plan) => plan.tier === tier)
  return (
    <section aria-label="Plans" className="flex flex-col gap-3">
      <h2>Plans</h2>
      {checkout.error && <Problem error={checkout.error} />}
      {!configured && (
        <p className="text-muted">
          This service sells nothing. Its operator sets the tier
          {tier === 'enterprise' ? (
            '.'
          ) : (
            <>
              : <code>multimodal-retrieval tier {namespace} enterprise</code>
            </>
          )}
        </p>
      )}
      <ul className="grid gap-3 wide:grid-cols-2">
        {shown.map((plan) => (
          <li key={plan.tier} className="flex flex-col gap-3 rounded-surface border border-line bg-surface p-4">
            <h3 className="text-h2">
              <span className="capitalize">{plan.tier}</span>{' '}
              {plan.tier === tier && <span className="text-small font-normal text-ok">✓ in force</span>}
            </h3>
            <ul className="list-inside list-disc text-muted">
              {featuresOf(plan).map((feature) => (
                <li key={feature}>{feature}</li>
              ))}
            </ul>
            <div className="flex flex-wrap gap-2">
              {plan.offers.map((offer) => (
                <Button
                  key={offer.cadence}
                  busy={checkout.isPending}
                  onClick={() => void buy({ tier: plan.tier, cadence: offer.cadence }).catch(() => undefined)}
                >
                  {priceOf(offer)}
                </Button>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function featuresOf({ planes, answers, rerank, audit, maxDocuments, maxNamespaces }: Plan): string[] {
  return [
    `Planes: ${planesText(planes)}`,
    maxDocuments ? counted(maxDocuments, 'document') : 'Documents without a limit',
    maxNamespaces ? counted(maxNamespaces, 'namespace') : 'Namespaces without a limit',
    ...(answers ? ['Answers with citations'] : []),
    ...(rerank ? ['Reranking'] : []),
    ...(audit ? ['Audit log'] : []),
  ]
}

const cadences: Record<Offer['cadence'], string> = { monthly: 'a month', yearly: 'a year', lifetime: 'once' }

function priceOf({ cadence, currency, unitAmount }: Offer): string {
  if (currency === null || currency === undefined || unitAmount === null || unitAmount === undefined) {
    return `Buy, ${cadences[cadence]}`
  }
  const format = new Intl.NumberFormat(undefined, { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return `${format.format(unitAmount / 10 ** digits)} ${cadences[cadence]}`
}
