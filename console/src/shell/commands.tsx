import { Autocomplete } from '@base-ui/react/autocomplete'
import { useNavigate } from '@tanstack/react-router'
import { type RefObject, useDeferredValue, useMemo } from 'react'
import { option } from '../components/popup.ts'
import { scopeTitle } from '../components/words.ts'
import { useGraphql } from '../graphql/hooks.ts'
import { NamespacesDocument } from '../session/generated/graphql.ts'
import { useSession } from '../session/session.tsx'
import { useKept, useSetUrl } from '../session/url.ts'
import { leave } from './leave.ts'
import { accessParts, pages } from './pages.ts'
import { setTheme } from './theme.ts'

interface Command {
  name: string
  run(): void
}

export interface CommandsProps {
  onClose(): void
  onKeys(): void
  field: RefObject<HTMLInputElement | null>
}

/** Pages, scopes, namespaces and actions, by what is typed. */
export function Commands({ onClose, onKeys, field }: CommandsProps) {
  // The field shows at once, what it offers a moment later.
  const commands = useDeferredValue(useCommands(onKeys), none)
  const run = (command: Command) => {
    onClose()
    command.run()
  }
  return (
    <Autocomplete.Root
      items={commands}
      itemToStringValue={(command: Command) => command.name}
      inline
      open
      autoHighlight="always"
    >
      <Autocomplete.Input
        ref={field}
        aria-label="Command"
        placeholder="Page, scope, namespace or action"
        className="h-11 w-full border-b border-line bg-transparent px-3 outline-none"
      />
      <Autocomplete.Empty>
        <div className="px-3 py-3 text-muted">Nothing fits.</div>
      </Autocomplete.Empty>
      <Autocomplete.List className="max-h-[50vh] overflow-y-auto py-1 data-empty:p-0">
        {(command: Command) => (
          <Autocomplete.Item key={command.name} value={command} onClick={() => run(command)} className={option}>
            <bdi className="truncate">{command.name}</bdi>
          </Autocomplete.Item>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  )
}

const none: Command[] = []

function useCommands(onKeys: () => void): Command[] {
  const { context, scopes } = useSession()
  const navigate = useNavigate()
  const kept = useKept()
  const set = useSetUrl()
  const { data } = useGraphql(NamespacesDocument, {}, { enabled: context !== null, selection: {} })
  // What came for an ended session stays in `data` until the next answer.
  const namespaces = context && data?.namespaces?.namespaces
  return useMemo(
    () => [
      ...pages.map(({ name, to }) => ({ name, run: () => void navigate({ to, search: kept }) })),
      ...Object.entries(accessParts).map(([path, name]) => ({
        name: `Access: ${name}`,
        run: () => void navigate({ to: `/access/${path}`, search: kept }),
      })),
      ...['*', ...scopes].map((scope) => ({
        name: scope === '*' ? scopeTitle(scope) : `Scope ${scope}`,
        run: () => void set({ scope, cursor: undefined }),
      })),
      ...(namespaces ?? []).map(({ namespace }) => ({
        name: `Namespace ${namespace}`,
        run: () => void navigate({ to: '.', search: { namespace } }),
      })),
      { name: 'Theme: system', run: () => setTheme('system') },
      { name: 'Theme: light', run: () => setTheme('light') },
      { name: 'Theme: dark', run: () => setTheme('dark') },
      { name: 'Keyboard shortcuts', run: onKeys },
      { name: 'Sign out', run: () => void leave() },
    ],
    [scopes, namespaces, kept, navigate, set, onKeys],
  )
}
