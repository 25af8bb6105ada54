import type { ReactNode } from 'react'
import { PageLink } from '../../components/page-link.tsx'
import { Person } from '../../components/person.tsx'
import { ReadersChip } from '../../components/readers/readers-chip.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { When } from '../../components/when.tsx'
import type { ViewUnitFragment } from './generated/graphql.ts'

/** What is known of the chosen Unit beside its content: who may read it, where it is, whose it is, how often it changed. */
export function Facts({ unit }: { unit: ViewUnitFragment }) {
  const { unitId, docId, externalId, readers, scope, version, createdAt, updatedAt } = unit
  const owner = readers[0]
  return (
    <section aria-label="Facts" className="rounded-surface border border-line bg-surface p-4">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-table">
        <Fact name="Readers">
          <ReadersChip of={{ title: externalId ?? docId ?? unitId, unitId, scopes: [scope], readers }} />
        </Fact>
        <Fact name="Owner">{owner && <Person id={owner.id} name={owner.name} />}</Fact>
        <Fact name="Scope">
          <PageLink to="/documents" search={{ scope }}>
            <SafeText>{scope}</SafeText>
          </PageLink>
        </Fact>
        <Fact name="Version">
          {version},{' '}
          {updatedAt === createdAt ? (
            'not changed since'
          ) : (
            <>
              changed <When at={updatedAt} />
            </>
          )}
        </Fact>
        <Fact name="Written">
          <When at={createdAt} />
        </Fact>
      </dl>
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}
