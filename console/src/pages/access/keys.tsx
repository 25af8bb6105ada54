import { SafeText } from '../../components/safe-text.tsx'
import type { Column } from '../../components/table.tsx'
import { agoText, dayText, When } from '../../components/when.tsx'
import { planesText } from '../../components/words.ts'
import { useChange, useGraphql } from '../../graphql/hooks.ts'
import { usePages } from '../../graphql/pages.ts'
import { WhoIsSignedInDocument } from '../../session/generated/graphql.ts'
import { ApiKeysDocument, type ApiKeysQuery, RevokeApiKeyDocument } from './generated/graphql.ts'
import { ListWithForm, revokeColumn } from './list-with-form.tsx'
import { NewKey } from './new-key.tsx'

type Key = NonNullable<ApiKeysQuery['apiKeys']>['keys'][number]

/** Short, for a narrow column. */
const hiddenUnits = { exact: 'exact number', some: 'whether any', off: 'nothing' } as const

const pick = ({ apiKeys }: ApiKeysQuery) => (apiKeys ? { ...apiKeys, rows: apiKeys.keys } : null)

/** The caller's own keys. */
export function Keys() {
  const list = usePages(ApiKeysDocument, { limit: 100 }, pick)
  const revoke = useChange(RevokeApiKeyDocument)
  const { principal, credential } = useGraphql(WhoIsSignedInDocument, {}).data?.viewer ?? {}
  const inUse = credential?.keyId
  const user = principal?.name ?? principal?.email ?? principal?.principalId
  const columns: readonly Column<Key>[] = [
    {
      title: 'Name',
      width: 'minmax(144px, 2fr)',
      cell: ({ id, name }) => (
        <>
          <SafeText>{name}</SafeText>
          {id === inUse && (
            <span className="ml-2 rounded-control bg-hover px-1.5 text-small font-normal">in use here</span>
          )}
        </>
      ),
    },
    { title: 'May', width: '144px', cell: ({ perms }) => perms?.join(', ') ?? 'all that you may' },
    { title: 'Scope', cell: ({ scopePrefix }) => <SafeText>{scopePrefix ?? 'all'}</SafeText> },
    { title: 'Planes', cell: ({ planes }) => (planes ? planesText(planes) : 'all') },
    {
      title: 'Groups',
      cell: ({ groups }) => (
        <SafeText>{groups === null || groups === undefined ? 'all' : groups.join(', ') || 'none'}</SafeText>
      ),
    },
    {
      title: 'Hidden Units',
      width: '120px',
      cell: ({ hiddenCount }) => (hiddenCount ? hiddenUnits[hiddenCount] : 'as namespace'),
    },
    { title: 'Used', width: '192px', cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : 'never') },
    { title: 'Ends', width: '104px', cell: ({ expiresAt }) => dayText(expiresAt) || 'never' },
    revokeColumn(revoke, (key) => whatEnds(key, user, key.id === inUse)),
  ]
  return (
    <ListWithForm
      make="New key"
      form={(close) => <NewKey onDone={close} />}
      error={revoke.error}
      label="Keys"
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      empty="You have no keys. Make one for a program or an agent, no wider than it needs."
    />
  )
}

const whatEnds = ({ name, lastUsedAt }: Key, user: string | undefined, isInUse: boolean): string => {
  const used = lastUsedAt ? `used ${agoText(lastUsedAt)}${user ? ` by ${user}` : ''}` : 'never used'
  return `The key ${name}, ${used}, no longer works.${isInUse ? ' This page uses it: you will be signed out.' : ''}`
}
