import { useNavigate } from '@tanstack/react-router'
import { type RefObject, useDeferredValue, useId, useMemo, useState } from 'react'
import { intoSight, option } from '../components/popup.ts'
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
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const word = typed.trim().toLowerCase()
  const fitting = commands.filter(({ name }) => name.toLowerCase().includes(word))
  const list = useId()
  const optionId = (index: number) => `${list}-${index}`
  const step = (by: number) => setAt((at + by + fitting.length) % Math.max(1, fitting.length))
  return (
    <>
      <input
        ref={field}
        role="combobox"
        aria-label="Command"
        aria-expanded={fitting.length > 0}
        aria-autocomplete="list"
        aria-controls={fitting.length > 0 ? list : undefined}
        aria-activedescendant={fitting[at] && optionId(at)}
        autoComplete="off"
        spellCheck={false}
        placeholder="Page, scope, namespace or action"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          setAt(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') step(1)
          else if (event.key === 'ArrowUp') step(-1)
          else if (event.key === 'Enter' && fitting[at]) run(fitting[at])
          else return
          event.preventDefault()
        }}
        className="h-11 w-full border-b border-line bg-transparent px-3 outline-none"
      />
      {fitting.length === 0 ? (
        <div className="px-3 py-3 text-muted">Nothing fits.</div>
      ) : (
        <div id={list} role="listbox" aria-label="Commands" className="max-h-[50vh] overflow-y-auto py-1">
          {fitting.map((command, index) => (
            <button
              key={command.name}
              ref={index === at ? intoSight : undefined}
              id={optionId(index)}
              type="button"
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onPointerMove={() => setAt(index)}
              onClick={() => run(command)}
              className={`${option} w-full text-left ${index === at ? 'bg-hover' : ''}`}
            >
              <bdi className="truncate">{command.name}</bdi>
            </button>
          ))}
        </div>
      )}
    </>
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
