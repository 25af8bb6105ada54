import type { ReactNode } from 'react'
import { PageLink } from '../../components/page-link.tsx'
import { Person } from '../../components/person.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import type { ViewUnitFragment } from './generated/graphql.ts'

/** What is known of the chosen Unit beside its content: who may read it, where it is, whose it is, how often it changed. */
export function Facts({ unit }: { unit: ViewUnitFragment }) {
  const { aclGroups, aclOwner, aclOwnerName, scope, version, createdAt, updatedAt } = unit
  return (
    <section aria-label="Facts" className="rounded-surface border border-line bg-surface p-4">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-table">
        <Fact name="Readers">{readersOf(aclGroups)}</Fact>
        <Fact name="Owner">
          <Person id={aclOwner} name={aclOwnerName} />
        </Fact>
        <Fact name="Scope">
          <PageLink to="/documents" search={{ scope }}>
            <SafeText>{scope}</SafeText>
          </PageLink>
        </Fact>
        <Fact name="Version">
          {version}, {updatedAt === createdAt ? 'not changed since' : `changed ${dateOf(updatedAt)}`}
        </Fact>
        <Fact name="Written">{dateOf(createdAt)}</Fact>
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

function readersOf(groups: readonly string[]): ReactNode {
  if (groups.includes('*')) return 'Everyone who may read the scope'
  if (groups.length === 0) return 'The owner alone'
  return (
    <>
      The owner and <SafeText>{groups.map((group) => group.replace(/^user:/, '')).join(', ')}</SafeText>
    </>
  )
}

const dateOf = (at: number) => new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })
