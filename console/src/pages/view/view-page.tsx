import { CopyAs } from '../../components/copy-as.tsx'
import { Empty } from '../../components/empty.tsx'
import { Page } from '../../components/page.tsx'
import { PageLink } from '../../components/page-link.tsx'
import { Problem } from '../../components/problem.tsx'
import { SafeText } from '../../components/safe-text.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { UnitsOfDocDocument, ViewedUnitDocument, type ViewUnitFragment } from './generated/graphql.ts'
import { Source } from './source.tsx'
import { SourceText } from './source-text.tsx'
import { UnitList } from './unit-list.tsx'
import { unitsOfDoc, useViewed } from './use-viewed.ts'

/** A document at the place of one of its Units: the source, its Units, its text. */
export function ViewPage() {
  const { title, units, chosen, docId, error, refetch, isPending, isAsked, onEnd, count } = useViewed()
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
      heading={<SafeText>{title}</SafeText>}
      busy={isPending}
      actions={chosen && <CopyUnits docId={docId} chosen={chosen} />}
    >
      {error && <Problem error={error} onRetry={refetch} />}
      {isPending && !error && <Skeleton rows={1} height={480} />}
      {chosen && (
        <div className="grid min-w-0 gap-4 wide:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <div className="flex min-w-0 flex-col gap-4">
            <Source units={units} chosen={chosen} />
            <SourceText units={units} chosen={chosen} />
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
