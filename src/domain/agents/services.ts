import type { AuthorizationRequest, Consent } from '../../model/oauth.ts'
import type { Session } from '../../model/session.ts'
import { type BackgroundTask, every } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { checkAuthorizationRequest } from './authorization-request.ts'
import { connectAgent } from './connect.ts'
import { listAgents, revokeAgent } from './connections.ts'
import { exchange } from './exchange.ts'
import { registerClient, unconsentedMs } from './register-client.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random'> & Pick<DomainSettings, 'brand' | 'sweeping'>

/** Agents of people, by OAuth 2.1. */
export function createAgents(deps: Deps) {
  /** What has expired works no more, swept or not. */
  const sweep = async () => {
    const now = deps.clock.now()
    await deps.catalog.agents.removeExpired(now, now - unconsentedMs)
    return 0
  }
  const tasks: BackgroundTask[] = [
    every(deps.clock, deps.sweeping.everyMs, { name: 'remove expired agent connections', run: sweep }),
  ]
  return {
    tasks,
    register: (metadata: unknown) => registerClient(deps, metadata),
    check: (parameters: URLSearchParams, base: string) => checkAuthorizationRequest(deps, parameters, base),
    exchange: (parameters: URLSearchParams, base: string, requestId: string) =>
      exchange(deps, parameters, base, requestId),
    servicesFor: (session: Session) => ({
      connect: (request: AuthorizationRequest, consent: Consent) => connectAgent(deps, session, request, consent),
      list: () => listAgents(deps, session),
      revoke: (id: string) => revokeAgent(deps, session, id),
    }),
  }
}
