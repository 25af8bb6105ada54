import type { PageRange } from '../../model/page.ts'
import type { Session } from '../../model/session.ts'
import type { BackgroundWork } from '../background/background.ts'
import type { Bindings } from '../bindings/bindings.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import { claimNamespace, transferNamespace } from './claim-namespace.ts'
import { createGrant, deleteGrant, getGrant, listGrants } from './grants.ts'
import { deleteNamespace, getNamespace, listNamespaces, updateNamespace } from './namespaces.ts'
import { createPrincipal, deletePrincipal, getPrincipal, listPrincipals } from './principals.ts'
import type { GrantInput, NamespaceUpdate, PrincipalInput, TransferInput } from './registry-input.ts'

type Deps = Pick<Bindings, 'catalog' | 'clock' | 'random' | 'identity'> & {
  brand: string
  background: BackgroundWork
  turns: Turns
}

export const createRegistries = (deps: Deps) => (session: Session) => {
  // Only a list without a range may be long.
  const inTurn = <T>(range: PageRange | undefined, work: () => Promise<T>) =>
    range === undefined ? deps.turns.answering(session, heavy, work) : work()
  return {
    namespaces: {
      list: (range?: PageRange) => inTurn(range, () => listNamespaces(deps, session, range)),
      get: (name: string) => getNamespace(deps, session, name),
      create: (name: string) => claimNamespace(deps, session, name),
      update: (input: NamespaceUpdate) => updateNamespace(deps, session, input),
      transfer: (input: TransferInput) => transferNamespace(deps, session, input),
      delete: (name: string) => deleteNamespace(deps, session, name),
    },
    grants: {
      list: (range?: PageRange) => inTurn(range, () => listGrants(deps, session, range)),
      get: (id: string) => getGrant(deps, session, id),
      create: (input: GrantInput) => createGrant(deps, session, input),
      delete: (id: string) => deleteGrant(deps, session, id),
    },
    principals: {
      list: (range?: PageRange) => inTurn(range, () => listPrincipals(deps, session, range)),
      get: (id: string) => getPrincipal(deps, session, id),
      create: (input: PrincipalInput) => createPrincipal(deps, session, input),
      delete: (id: string) => deletePrincipal(deps, session, id),
    },
  }
}
