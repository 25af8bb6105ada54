import { useGraphql } from '../../graphql/hooks.ts'
import { SourceLinkDocument, type SourceRendition, type ViewUnitFragment } from './generated/graphql.ts'

/** Nothing is chosen until the Units have come. */
export interface Viewed {
  units: readonly ViewUnitFragment[]
  chosen: ViewUnitFragment | undefined
}

/** A link to the source of a Unit. It ends after five minutes, so it is made again before. Null: there is none. */
export function useSourceLink({ units, chosen }: Viewed, rendition: SourceRendition) {
  // One link serves all Units of the file: another chosen Unit must not load it again.
  const owner = units.find(({ sourceUri }) => sourceUri !== null && sourceUri === chosen?.sourceUri) ?? chosen
  const { data, error, isLoading, refetch } = useGraphql(
    SourceLinkDocument,
    { unitId: owner?.unitId ?? '', rendition },
    { enabled: owner !== undefined },
  )
  const isMissing = error?.status === 404
  return { owner, link: isMissing ? null : data?.sourceLink, error: isMissing ? null : error, isLoading, refetch }
}
