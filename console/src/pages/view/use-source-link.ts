import { useGraphql } from '../../graphql/hooks.ts'
import { SourceLinkDocument, type SourceRendition } from './generated/graphql.ts'

/** A link to the source of a Unit. It ends after five minutes, so it is made again before. Null: there is none. */
export function useSourceLink(unitId: string, rendition: SourceRendition) {
  const { data, error, refetch } = useGraphql(SourceLinkDocument, { unitId, rendition })
  const isMissing = error?.status === 404
  return { link: isMissing ? null : data?.sourceLink, error: isMissing ? null : error, refetch }
}
