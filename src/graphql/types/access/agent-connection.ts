import type { AgentRevocation } from '../../../domain/agents/connections.ts'
import type { AgentConnection } from '../../../ports/catalog.ts'
import { runs } from '../../builder/root-fields.ts'
import { boolean, list, nullable, objectType, safeInt, string } from '../../builder/types.ts'
import { PermissionEnum } from '../common/enums.ts'

const AgentConnectionRef = objectType<AgentConnection>(
  'AgentConnection',
  "An agent that a person has connected. It has the person's current permissions, limited by the person's consent, and works at /mcp only.",
  {
    id: string('Identifies the connection. It is not a secret.'),
    clientId: string('Identifies the program.'),
    clientName: string('The name that the program gave itself.'),
    perms: list(PermissionEnum, 'The only permissions that it has.'),
    namespace: nullable(string("The only namespace that it may use; null if it may use all of the person's.")),
    scopePrefix: nullable(
      string('It may use only this scope and those below it; null if it may use all scopes of the person.'),
    ),
    createdAt: safeInt('Epoch milliseconds.'),
    lastUsedAt: nullable(safeInt('Epoch milliseconds, recorded about once a minute; null if never used.')),
  },
)

const AgentRevocationRef = objectType<AgentRevocation>(
  'AgentConnectionRevocation',
  'A connection that no longer works.',
  {
    id: string('The id of the connection.'),
    revoked: boolean('Always true.'),
  },
)

runs('agentConnections', [AgentConnectionRef], (_, services) => services.agents.list())

runs('revokeAgentConnection', AgentRevocationRef, ({ id }, services) => services.agents.revoke(id))
