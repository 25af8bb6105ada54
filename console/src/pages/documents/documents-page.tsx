import { Upload } from 'lucide-react'
import { type DragEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyAs } from '../../components/copy-as.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { UrlField } from '../../components/url-field.tsx'
import { useIsLoading } from '../../graphql/hooks.ts'
import { useSession } from '../../session/session.tsx'
import { useUrl } from '../../session/url.ts'
import { filesOfDrop } from './chosen-files.ts'
import { DocumentsTable, docsOf } from './documents-table.tsx'
import { DocsDocument, ListedUnitsAsDocument, ListedUnitsDocument } from './generated/graphql.ts'
import { Runs } from './runs.tsx'
import { UnitsTable, unitsOf, ViewedUnitsTable } from './units-table.tsx'
import type { NamedFile } from './upload.ts'
import { UploadDialog } from './upload-dialog.tsx'
import { useRuns } from './use-runs.ts'
import { type Sending, useUploads } from './use-uploads.ts'

/** What may be read, by document or Unit; files are taken in here. */
export function DocumentsPage() {
  const { as } = useSession()
  return as === undefined ? <OwnDocuments /> : <ViewedDocuments as={as} />
}

/** Of another list the place means nothing. */
const ofList = { cursor: undefined }

/** The service lists Units, not documents, as another principal sees them. */
function ViewedDocuments({ as }: { as: string }) {
  const prefix = useUrl().get('prefix')
  return (
    <Page
      title="Documents"
      actions={<CopyAs document={ListedUnitsAsDocument} variables={{ principalId: as, ...unitsOf(prefix) }} />}
    >
      <UrlField name="prefix" voids={ofList} label="Filter" hint="The id of a document" />
      <ViewedUnitsTable as={as} docId={prefix} />
    </Page>
  )
}

function CopyList({ view, prefix }: { view: 'documents' | 'units'; prefix: string | undefined }) {
  if (view === 'units') return <CopyAs key={view} document={ListedUnitsDocument} variables={unitsOf(prefix)} />
  return <CopyAs key={view} document={DocsDocument} variables={docsOf(prefix)} />
}

function OwnDocuments() {
  const { get, set } = useUrl()
  const { scope, context, error } = useSession()
  const view = get('view') === 'units' ? 'units' : 'documents'
  const prefix = get('prefix')
  const runs = useRuns(scope === '*' || scope === '' ? undefined : scope)
  const uploads = useUploads(runs.add)
  /** Those that are about to be sent; null while nobody sends any. */
  const [chosen, setChosen] = useState<readonly NamedFile[] | null>(get('upload') ? [] : null)
  const [isOver, setOver] = useState(false)
  const mayWrite = context?.perms.includes('write') ?? true
  // Whether the upload and the runs stand above the list. Before that is known, it would move.
  const isLoading = (context === null && error === null) || runs.isLoading
  const isListLoading = useIsLoading()
  const close = () => {
    setChosen(null)
    if (get('upload')) void set({ upload: undefined }, { replace: true })
  }
  const take = (files: readonly NamedFile[]) => setChosen((before) => [...(before ?? []), ...files])

  const accept = (event: DragEvent) => {
    if (!mayWrite || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  const drop = {
    // Where the page changes below a pointer that rests, a browser enters the new element and may drop there at once.
    onDragEnter: accept,
    onDragOver: accept,
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (!mayWrite) return
      event.preventDefault()
      setOver(false)
      void filesOfDrop(event.dataTransfer).then(take)
    },
  }
  const content = (
    <>
      {runs.error && runs.error.status !== 403 && <Problem error={runs.error} onRetry={runs.refetch} />}
      <Runs runs={runs.runs} sending={uploads.sending} onChange={runs.add} onDrop={uploads.drop} onAgain={take} />
      <div className="flex flex-wrap items-end gap-3">
        <UrlField
          name="prefix"
          voids={ofList}
          label="Filter"
          hint={
            view === 'units'
              ? 'The id of a document, such as reports/tides.pdf'
              : 'How its path or id begins, such as reports/'
          }
          className="min-w-56 flex-1"
        />
        <fieldset className="flex gap-1 narrow:mb-5">
          <legend className="sr-only">What to list</legend>
          <Button aria-pressed={view === 'documents'} onClick={() => set({ view: undefined, cursor: undefined })}>
            {view === 'documents' && <span aria-hidden>✓ </span>}By document
          </Button>
          <Button aria-pressed={view === 'units'} onClick={() => set({ view: 'units', cursor: undefined })}>
            {view === 'units' && <span aria-hidden>✓ </span>}All Units
          </Button>
        </fieldset>
      </div>
      {view === 'units' ? <UnitsTable docId={prefix} /> : <DocumentsTable prefix={prefix} />}
    </>
  )
  const actions = (
    <>
      <CopyList view={view} prefix={prefix} />
      {mayWrite && (
        <Button look="primary" onClick={() => take([])}>
          <Upload aria-hidden className="size-4" />
          Upload
        </Button>
      )}
    </>
  )
  return (
    <div
      {...drop}
      className={`flex min-w-0 flex-1 flex-col ${isOver ? 'outline-2 -outline-offset-4 outline-accent' : ''}`}
    >
      <Page title="Documents" busy={isListLoading || isLoading} actions={actions}>
        {isLoading ? <Skeleton rows={12} /> : content}
      </Page>
      {chosen !== null && mayWrite && context !== null && (
        <UploadDialog
          files={chosen}
          onFiles={setChosen}
          onSend={(files, target) => {
            uploads.drop(failedOf(uploads.sending, files))
            uploads.send(files, target)
            close()
          }}
          onClose={close}
        />
      )}
    </div>
  )
}

/** Failures of files that are sent again. */
const failedOf = (sending: readonly Sending[], files: readonly NamedFile[]) =>
  sending.flatMap(({ id, stage, file }) => (stage === 'failed' && files.some((one) => one.file === file) ? [id] : []))
