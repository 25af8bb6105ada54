import { explainInput } from '../domain/explain/explain-input.ts'
import { idInput } from '../domain/input/fields.ts'
import { pageInput } from '../domain/input/page.ts'
import { keyInput } from '../domain/keys/key-input.ts'
import { administers, type Operation } from './operation.ts'

export const access = {
  apiKeys: {
    kind: 'query',
    description:
      'The keys of the calling principal, oldest first. A restricted key sees only keys within its own restrictions.',
    args: pageInput('Offset among those that the calling key may see.'),
    needs: null,
    reach: 'clamped',
  },
  createApiKey: {
    kind: 'mutation',
    description:
      'Creates an API key of the calling principal. A principal may have at most 100. A restricted key can only create keys within its own restrictions.',
    input: keyInput.describe('The key.'),
    needs: null,
    reach: 'clamped',
  },
  revokeApiKey: {
    kind: 'mutation',
    description: 'Revokes a key of the calling principal at once. Other keys are not found.',
    args: idInput('The id of the key.'),
    needs: null,
    reach: 'clamped',
  },
  agentConnections: {
    kind: 'query',
    description: 'The agents that the signed-in person has connected, oldest first. API keys may not use it.',
    needs: null,
    reach: 'clamped',
  },
  revokeAgentConnection: {
    kind: 'mutation',
    description: 'Ends a connection of the signed-in person at once. Other connections are not found.',
    args: idInput('The id of the connection.'),
    needs: null,
    reach: 'clamped',
  },
  explainAccess: {
    kind: 'query',
    description:
      'Explains why a principal may or may not read and change a Unit, or the contents of a scope. Units that the caller may not read are not found, nor are principals without home or grant in the namespace. Needs an admin principal. It is audited.',
    args: explainInput,
    needs: administers,
    reach: 'clamped',
  },
} satisfies Record<string, Operation>
