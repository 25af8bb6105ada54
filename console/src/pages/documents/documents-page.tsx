import { type DragEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyAs } from '../../components/copy-as.tsx'
import { Page } from '../../components/page.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { UrlField } from '../../components/url-field.tsx'
import { useSession } from '../../session/session.tsx'
import { useUrl } from '../../session/url.ts'
import { DocumentsTable, docsOf } from './documents-table.tsx'
import { DocsDocument, ListedUnitsAsDocument, ListedUnitsDocument } from './generated/graphql.ts'
import { Runs } from './runs.tsx'
import { UnitsTable, unitsOf, ViewedUnitsTable } from './units-table.tsx'
import { UploadBar, useUploadTarget } from './upload-bar.tsx'
import { useRuns } from './use-runs.ts'
import { useUploads } from './use-uploads.ts'

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
  const to = useUploadTarget()
  const [isOver, setOver] = useState(false)
  const mayWrite = context?.perms.includes('write') ?? true
  // Whether the upload and the runs stand above the list. Before that is known, it would move.
  const isLoading = (context === null && error === null) || runs.isLoading
  const take = (files: readonly File[]) => void uploads.send(files, to.target)

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
      take([...event.dataTransfer.files])
    },
  }
  const content = (
    <>
      {mayWrite && <UploadBar to={to} onFiles={take} />}
      {runs.error && runs.error.status !== 403 && <Problem error={runs.error} onRetry={runs.refetch} />}
      <Runs runs={runs.runs} sending={uploads.sending} onChange={runs.add} onDrop={uploads.drop} />
      <div className="flex flex-wrap items-end gap-3">
        <UrlField
          name="prefix"
          voids={ofList}
          label="Filter"
          hint={view === 'units' ? 'The id of a document' : 'How the id of a document begins'}
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
  return (
    <div
      {...drop}
      className={`flex min-w-0 flex-1 flex-col ${isOver ? 'outline-2 -outline-offset-4 outline-accent' : ''}`}
    >
      <Page title="Documents" busy={isLoading} actions={<CopyList view={view} prefix={prefix} />}>
        {isLoading ? <Skeleton rows={12} /> : content}
      </Page>
    </div>
  )
}
