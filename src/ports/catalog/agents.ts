export type { AgentConnection, FoundToken, OauthClient } from '../../adapters/catalog/sql/agents.ts'
