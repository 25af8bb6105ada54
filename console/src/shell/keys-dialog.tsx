import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { areKeysOn, switchKeys } from './keys.ts'
import { pages } from './pages.ts'

const rows: readonly [string, string][] = [
  ['Ctrl K', 'Command palette'],
  ['/', 'Search box'],
  ...pages.map(({ name, key }): [string, string] => [`g ${key}`, name]),
  ['j', 'Next item'],
  ['k', 'Previous item'],
  ['Enter', 'Open'],
  ['x', 'Score of the hit'],
  ['s', 'Keep as golden query'],
  ['y', 'Copy as curl'],
  ['t', 'Next theme'],
  ['?', 'This list'],
  ['Esc', 'Close'],
]

export function KeysDialog({ open, onClose }: { open: boolean; onClose(): void }) {
  const [isOn, setOn] = useState(areKeysOn)
  return (
    <Dialog title="Keyboard shortcuts" open={open} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 px-4 py-3">
        {rows.map(([key, what]) => (
          <div key={key} className="contents">
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="flex items-center gap-2 border-t border-line px-4 py-3">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ target }) => {
            switchKeys(target.checked)
            setOn(target.checked)
          }}
        />
        Single keys act outside of text fields
      </label>
    </Dialog>
  )
}
