import type { AgentRevocation } from '../../../domain/agents/connections.ts'
import type { AgentConnection } from '../../../ports/catalog.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { PermissionEnum } from '../common/enums.ts'

const AgentConnectionRef = builder.objectRef<AgentConnection>('AgentConnection').implement({
  description:
    "An agent that a person has connected. It has the person's current permissions, limited by the person's consent, and works at /mcp only.",
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Identifies the connection. It is not a secret.' }),
    clientId: t.exposeString('clientId', { description: 'Identifies the program.' }),
    clientName: t.exposeString('clientName', { description: 'The name that the program gave itself.' }),
    perms: t.expose('perms', { type: [PermissionEnum], description: 'The only permissions that it has.' }),
    namespace: t.exposeString('namespace', {
      nullable: true,
      description: "The only namespace that it may use; null if it may use all of the person's.",
    }),
    scopePrefix: t.exposeString('scopePrefix', {
      nullable: true,
      description: 'It may use only this scope and those below it; null if it may use all scopes of the person.',
    }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'SafeInt',
      nullable: true,
      description: 'Epoch milliseconds, recorded about once a minute; null if never used.',
    }),
  }),
})

const AgentRevocationRef = builder.objectRef<AgentRevocation>('AgentConnectionRevocation').implement({
  description: 'A connection that no longer works.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the connection.' }),
    revoked: t.exposeBoolean('revoked', { description: 'Always true.' }),
  }),
})

builder.queryField('agentConnections', (t) =>
  t.field({
    type: [AgentConnectionRef],
    ...runs('agentConnections', (_, services) => services.agents.list()),
  }),
)

builder.mutationField('revokeAgentConnection', (t) =>
  t.field({
    type: AgentRevocationRef,
    ...runs('revokeAgentConnection', ({ id }, services) => services.agents.revoke(id)),
  }),
)
