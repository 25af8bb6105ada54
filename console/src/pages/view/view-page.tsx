import { useState } from 'react'
import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { UnitsOfDocDocument, ViewedUnitDocument, type ViewUnitFragment } from './generated/graphql.ts'
import { Source } from './source.tsx'
import { SourceText, useSourceText } from './source-text.tsx'
import { UnitList } from './unit-list.tsx'
import { useSourceLink } from './use-source-link.ts'
import { unitsOfDoc, useViewed } from './use-viewed.ts'

/** A document at the place of one of its Units: the source, its Units, its text. */
export function ViewPage() {
  const viewed = useViewed()
  const { title, units, chosen, docId, error, refetch, isAsked, onEnd, count } = viewed
  const original = useSourceLink(viewed, 'original')
  const text = useSourceText(viewed)
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
      title={title}
      heading={isPending ? 'Document' : <SafeText>{title}</SafeText>}
      busy={isPending}
      actions={chosen && !isPending && <CopyUnits docId={docId} chosen={chosen} />}
    >
      {error && <Problem error={error} onRetry={refetch} />}
      {isPending && <Skeleton rows={1} height={480} />}
      {chosen && !isPending && (
        <div className="grid min-w-0 gap-4 wide:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="flex min-w-0 flex-col gap-4">
            <Source units={units} chosen={chosen} original={original} />
            <SourceText units={units} chosen={chosen} ofSource={text} />
          </div>
          <UnitList units={units} chosen={chosen} count={count} onEnd={onEnd} />
        </div>
      )}
    </Page>
  )
}

function CopyUnits({ docId, chosen }: { docId: string | undefined; chosen: ViewUnitFragment }) {
  if (docId !== undefined) return <CopyAs document={UnitsOfDocDocument} variables={unitsOfDoc(docId)} />
  return <CopyAs document={ViewedUnitDocument} variables={{ unitId: chosen.unitId }} />
}
