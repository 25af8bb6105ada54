import { notFound } from '../../errors.ts'
import { auditEntry } from '../../model/audit-entry.ts'
import type { Session } from '../../model/session.ts'
import type { AgentConnection } from '../../ports/catalog.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { requirePerson } from './connect.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock'>

/** The agents that a person has connected, oldest first. */
export async function listAgents({ catalog, clock }: Deps, session: Session): Promise<AgentConnection[]> {
  requirePerson(session)
  return catalog.agents.list(session.principalId, clock.now())
}

export interface AgentRevocation {
  revoked: true
  id: string
}

/** Ends a connection at once. One that is unknown, or another person's, is not found. */
export async function revokeAgent({ catalog, clock }: Deps, session: Session, id: string): Promise<AgentRevocation> {
  requirePerson(session)
  const { principalId, facts } = session
  const now = clock.now()
  await catalog.transact(facts.caller.home.id, async ({ agents, audit }) => {
    const connection = (await agents.list(principalId, now)).find((one) => one.id === id)
    if (!connection || !(await agents.remove(principalId, id)))
      throw notFound('no such connection: the id must be that of one of your agent connections')
    await audit(auditEntry(session, now, 'agent.revoke', id, { client: connection.clientId }))
  })
  return { revoked: true, id }
}
