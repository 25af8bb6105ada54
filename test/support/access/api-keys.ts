import type { CallOptions, Reply, TestApp } from '../boot.ts'

const keyFields = 'id name createdAt lastUsedAt expiresAt perms scopePrefix planes groups hiddenCount'

/** The first error of a GraphQL answer, or null. */
export function errorOf({ body }: Reply): { status: number; code: string; detail: string } | null {
  const [error] = body.errors ?? []
  return error ? { status: error.extensions.status, code: error.extensions.code, detail: error.message } : null
}

/** The operations on API keys, as answered. */
export function apiKeysOf(app: TestApp) {
  const create = (input: object, options: CallOptions) =>
    app.graphql(
      `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { token key { ${keyFields} } } }`,
      { input },
      options,
    )
  return {
    create,
    /** Creates an API key; throws if that fails. */
    mint: async (token: string, input: object = {}): Promise<{ id: string; token: string }> => {
      const { body } = await create({ name: 'key', ...input }, { token })
      if (body.errors) throw new Error(JSON.stringify(body.errors))
      return { id: body.data.createApiKey.key.id, token: body.data.createApiKey.token }
    },
    list: (options: CallOptions) => app.graphql(`{ apiKeys { keys { ${keyFields} } } }`, {}, options),
    revoke: (id: string, options: CallOptions) =>
      app.graphql('mutation ($id: String!) { revokeApiKey(id: $id) { revoked id } }', { id }, options),
  }
}
