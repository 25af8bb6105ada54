import { FileUp, FolderUp, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/field.tsx'
import { Problem } from '../../components/problem.tsx'
import { ReadersField } from '../../components/readers/readers-field.tsx'
import { useDirectory } from '../../components/readers/use-directory.ts'
import { groupsOfChoice, isOpenChoice, type ReadersChoice } from '../../components/readers/words.ts'
import { SafeText } from '../../components/safe-text.tsx'
import { counted, sizeText } from '../../components/words.ts'
import { useGraphql } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import { type ChosenFile, checked, filesOfInput, isHidden } from './chosen-files.ts'
import { UploadOptionsDocument, type UploadOptionsQuery } from './generated/graphql.ts'
import type { NamedFile, UploadTarget } from './upload.ts'

/** A scope. */
const path = /^[\w.-]+(\/[\w.-]+)*$/

/** What was chosen last in this tab. */
let lastScope = ''
let lastReaders: ReadersChoice = { kind: 'owner', chosen: [] }

export interface UploadDialogProps {
  files: readonly NamedFile[]
  onFiles(files: NamedFile[]): void
  onSend(files: readonly NamedFile[], target: UploadTarget): void
  onClose(): void
}

/** Asks where files go and who may read them, and says what will not be read, before anything is sent. */
export function UploadDialog({ files, onFiles, onSend, onClose }: UploadDialogProps) {
  const { scope: selected, namespace, context } = useSession()
  const scopes = context?.allowedScopes ?? []
  const certain = selected !== '*' ? selected : scopes.length === 1 ? (scopes[0] ?? '') : ''
  const [scope, setScope] = useState(certain || (scopes.includes(lastScope) ? lastScope : ''))
  const [typed, setTyped] = useState('')
  const isNew = (one: string) => !scopes.includes(one) && path.test(one)
  const [readers, setReaders] = useState(lastReaders)
  const directory = useDirectory()
  const { data, error, refetch } = useGraphql(UploadOptionsDocument, {})
  const options = data?.uploadOptions
  const { good, bad, hidden, force } = useChecked(files, options)
  const missing = [
    ...(good.length === 0 ? ['files'] : []),
    ...(scope.trim() === '' ? ['a destination'] : []),
    ...(isOpenChoice(readers) ? ['who may read'] : []),
  ]
  const send = () => {
    lastScope = scope.trim()
    lastReaders = readers
    onSend(good, { namespace, scope: lastScope, aclGroups: groupsOfChoice(readers) })
  }
  return (
    <Dialog title="Upload files" open onClose={onClose}>
      <div className="flex min-h-0 flex-col gap-4 overflow-y-auto px-4 py-3">
        {error && <Problem error={error} onRetry={refetch} />}
        <ChooseFiles onFiles={(more) => onFiles([...files, ...more])} />
        {good.length > 0 && (
          <FileList label="Files to send" files={good} onRemove={(gone) => onFiles(without(files, gone))} />
        )}
        {bad.length > 0 && (
          <FileList label="Not sent" files={bad} onRemove={(gone) => onFiles(without(files, gone))} onForce={force} />
        )}
        {hidden > 0 && <p className="text-small text-muted">Left out: {counted(hidden, 'hidden file')}.</p>}
        {scopes.length === 0 ? (
          <Field
            label="Destination"
            hint="A new scope: letters, digits and ., _ or -, with / between levels"
            value={scope}
            onChange={({ target }) => setScope(target.value)}
          />
        ) : (
          <Combobox
            label="Destination"
            showLabel
            items={isNew(typed) ? [...scopes, typed] : scopes}
            nameOf={(one) => (isNew(one) ? `${one} (new scope)` : one)}
            value={scope}
            onChange={setScope}
            onType={setTyped}
          />
        )}
        <ReadersField
          choice={readers}
          onChange={setReaders}
          directory={directory}
          alone="Only me"
          everyone={scope === '' ? 'Everyone in the destination' : `Everyone in ${scope}`}
        />
        {options && <Formats {...options} />}
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-3">
        <p role="status" className="min-w-0 flex-1 text-small text-muted">
          {missing.length > 0 && `Still to choose: ${missing.join(', ')}`}
        </p>
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" disabled={missing.length > 0} onClick={send}>
          Send{good.length > 0 && ` ${counted(good.length, 'file')}`}
        </Button>
      </div>
    </Dialog>
  )
}

const without = (files: readonly NamedFile[], gone: NamedFile) => files.filter(({ file }) => file !== gone.file)

/** Which of the files can be sent. Unless one insists, those that are not read are not. */
function useChecked(files: readonly NamedFile[], options: UploadOptionsQuery['uploadOptions'] | undefined) {
  const [all, setAll] = useState<readonly ChosenFile[]>([])
  const [forced, setForced] = useState<readonly File[]>([])
  useEffect(() => {
    if (!options) return
    let isCurrent = true
    void Promise.all(files.filter((one) => !isHidden(one)).map((one) => checked(one, options))).then(
      (next) => isCurrent && setAll(next),
    )
    return () => {
      isCurrent = false
    }
  }, [files, options])
  const isGood = ({ problem, file }: ChosenFile) => problem === null || forced.includes(file)
  return {
    good: all.filter(isGood),
    bad: all.filter((one) => !isGood(one)),
    hidden: files.filter(isHidden).length,
    force: ({ file }: ChosenFile) => setForced([...forced, file]),
  }
}

function ChooseFiles({ onFiles }: { onFiles(files: NamedFile[]): void }) {
  const file = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const input = (ref: typeof file, label: string) => (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      aria-label={label}
      onChange={({ target }) => {
        onFiles(filesOfInput(target.files))
        target.value = ''
      }}
    />
  )
  return (
    <div className="flex flex-wrap items-center justify-center gap-2 rounded-surface border border-dashed border-control px-4 py-5">
      <p className="w-full text-center text-muted">Drop files or folders here, or</p>
      {input(file, 'Files')}
      {input(folder, 'Folder')}
      <Button onClick={() => file.current?.click()}>
        <FileUp aria-hidden className="size-4" />
        Choose files
      </Button>
      <Button
        onClick={() => {
          folder.current?.setAttribute('webkitdirectory', '')
          folder.current?.click()
        }}
      >
        <FolderUp aria-hidden className="size-4" />
        Choose a folder
      </Button>
    </div>
  )
}

interface FileListProps {
  label: string
  files: readonly ChosenFile[]
  onRemove(file: ChosenFile): void
  onForce?: (file: ChosenFile) => void
}

/** A folder may have thousands of files. */
const shown = 200

function FileList({ label, files, onRemove, onForce }: FileListProps) {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0)
  return (
    <section aria-label={label} className="flex flex-col gap-1">
      <h3 className={onForce ? 'text-warn' : ''}>
        {label}: {files.length} <span className="font-normal text-muted">({sizeText(bytes)})</span>
      </h3>
      <ul tabIndex={0} className="flex max-h-44 flex-col overflow-y-auto rounded-control border border-line">
        {files.slice(0, shown).map((one) => (
          <li
            key={`${one.name} ${one.file.lastModified}`}
            className="flex items-center gap-2 border-b border-line px-2 py-1 last:border-b-0"
          >
            <SafeText className="min-w-0 flex-1 truncate">{one.name}</SafeText>
            <span className="text-small text-muted">{onForce ? one.problem : sizeText(one.file.size)}</span>
            {onForce && one.mayBeForced && (
              <Button
                look="quiet"
                className="h-7! text-small"
                aria-label={`Send anyway: ${one.name}`}
                onClick={() => onForce(one)}
              >
                Send anyway
              </Button>
            )}
            <Button
              look="quiet"
              className="h-7! px-1.5!"
              aria-label={`Remove ${one.name}`}
              onClick={() => onRemove(one)}
            >
              <X aria-hidden className="size-4" />
            </Button>
          </li>
        ))}
        {files.length > shown && <li className="px-2 py-1 text-muted">and {files.length - shown} more</li>}
      </ul>
    </section>
  )
}

function Formats({ maxBytes, formats }: NonNullable<UploadOptionsQuery['uploadOptions']>) {
  return (
    <details className="text-small">
      <summary>Which files can be read</summary>
      <p className="py-1 text-muted">Texts of any name, and these. A file may have at most {sizeText(maxBytes)}.</p>
      <ul tabIndex={0} className="max-h-44 overflow-y-auto">
        {formats.map(({ name, extensions }) => (
          <li key={name}>
            {name}: <span className="text-muted">{extensions.join(', ')}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
