import { useState } from 'react'
import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Facts } from './facts.tsx'
import { foundOnPage, useFound } from './find.ts'
import { FindBox } from './find-box.tsx'
import { UnitsOfDocDocument, ViewedUnitDocument, type ViewUnitFragment } from './generated/graphql.ts'
import { Source } from './source.tsx'
import { SourceText, useSourceText } from './source-text.tsx'
import { UnitList } from './unit-list.tsx'
import { useSourceLink } from './use-source-link.ts'
import { unitsOfDoc, useViewed } from './use-viewed.ts'

/** A document at the place of one of its Units: the source, its Units, its text. */
export function ViewPage() {
  const viewed = useViewed()
  const { title, name, path, units, chosen, docId, error, refetch, isAsked, onEnd, count } = viewed
  const original = useSourceLink(viewed, 'original')
  const text = useSourceText(viewed)
  const found = useFound(text.text.data)
  // The parts stand below each other: at first they are shown together. Later, another chosen Unit loads its own parts alone.
  const isWhole = chosen !== undefined && !viewed.isLoading && !original.isLoading && !text.isLoading
  const [wasWhole, setWasWhole] = useState(false)
  if (isWhole && !wasWhole) setWasWhole(true)
  const isPending = viewed.isPending || (chosen !== undefined && !isWhole && !wasWhole)
  if (!isAsked) {
    return (
      <Page title="Document">
        <Empty action={<PageLink to="/documents">Documents</PageLink>}>
          The address names neither a document nor a Unit.
        </Empty>
      </Page>
    )
  }
  return (
    <Page
      title={name}
      heading={isPending ? 'Document' : <SafeText>{name}</SafeText>}
      busy={isPending}
      actions={
        chosen &&
        !isPending && (
          <>
            {text.text.data !== undefined && <FindBox {...found} />}
            <CopyUnits docId={docId} chosen={chosen} />
          </>
        )
      }
    >
      {chosen && !isPending && <Breadcrumb scope={chosen.scope} path={path ?? title} title={title} />}
      {error?.status === 404 ? (
        <Empty action={<PageLink to="/documents">All documents</PageLink>}>
          There is no such document in this namespace and scope, or you may not read it. Ask its owner, or choose
          another scope above.
        </Empty>
      ) : (
        error && <Problem error={error} onRetry={refetch} />
      )}
      {isPending && <Skeleton rows={1} height={480} />}
      {chosen && !isPending && (
        <div className="grid min-w-0 gap-4 wide:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="flex min-w-0 flex-col gap-4">
            <Source units={units} chosen={chosen} original={original} found={foundOnPage(found, text.text.data)} />
            <SourceText units={units} chosen={chosen} ofSource={text} found={found} />
          </div>
          <div className="flex min-w-0 flex-col gap-4">
            <Facts unit={chosen} />
            <UnitList units={units} chosen={chosen} count={count} onEnd={onEnd} />
          </div>
        </div>
      )}
    </Page>
  )
}

/** Where the file is: its scope, its folders, its name; then what it calls itself. */
function Breadcrumb({ scope, path, title }: { scope: string; path: string; title: string }) {
  const parts = path.split('/')
  const folders = parts.slice(0, -1).map((name, i) => ({ name, prefix: `${parts.slice(0, i + 1).join('/')}/` }))
  const name = parts.at(-1) ?? path
  return (
    <nav aria-label="Breadcrumb" className="text-small text-muted wide:-mt-3">
      <ol className="flex flex-wrap gap-x-1">
        <li>
          <PageLink to="/documents">Documents</PageLink>
        </li>
        <li>
          <span aria-hidden>/ </span>
          <PageLink to="/documents" search={{ scope }}>
            <SafeText>{scope}</SafeText>
          </PageLink>
        </li>
        {folders.map((folder) => (
          <li key={folder.prefix}>
            <span aria-hidden>/ </span>
            <PageLink to="/documents" search={{ scope, prefix: folder.prefix }}>
              <SafeText>{folder.name}</SafeText>
            </PageLink>
          </li>
        ))}
        <li aria-current="page">
          <span aria-hidden>/ </span>
          <SafeText>{name}</SafeText>
          {title !== path && title !== name && (
            <>
              {': '}
              <SafeText>{title}</SafeText>
            </>
          )}
        </li>
      </ol>
    </nav>
  )
}

function CopyUnits({ docId, chosen }: { docId: string | undefined; chosen: ViewUnitFragment }) {
  if (docId !== undefined) return <CopyAs document={UnitsOfDocDocument} variables={unitsOfDoc(docId)} />
  return <CopyAs document={ViewedUnitDocument} variables={{ unitId: chosen.unitId }} />
}
