import type { Metadata, MetadataValue } from '../../model/unit.ts'
import type { IndexedUnit } from '../../ports/indexes/index-filter.ts'
import type { TextAnalysis } from '../../ports/indexes/text-analysis.ts'
import { numberTokens } from './fields/number-tokens.ts'
import { textFields } from './fields/text-fields.ts'
import { documentId, metadataToken, orderOf, valueToken } from './fields/tokens.ts'
import { lengthClass } from './ranking/length-class.ts'

/** The value in `readers` for everyone who sees the scope. */
export const everyone = 'everyone'

/** A Unit as a Meilisearch document. Strings that filters compare are tokens; so are the words of the text. */
export function documentOf(namespaceId: string, unit: IndexedUnit, analysis: TextAnalysis): Record<string, unknown> {
  const { unitId, acl, locator } = unit
  const time = locator?.kind === 'time_range' ? locator : null
  const optional = (kind: string, value: string | null) => (value === null ? null : valueToken(kind, value))
  const { terms, stops, bag, length } = textFields(unit, analysis)
  return {
    id: documentId(namespaceId, unitId),
    unit_id: unitId,
    order: orderOf(unitId),
    seq: unit.seq,
    namespace: valueToken('namespace', namespaceId),
    plane: unit.plane,
    scope: valueToken('scope', unit.scopeId),
    owner: valueToken('owner', acl.owner),
    readers: [valueToken('owner', acl.owner), ...acl.groups.map(readersToken)],
    modality: unit.modality,
    doc: optional('doc', unit.docId),
    external: optional('external', unit.externalId),
    source: optional('source', unit.sourceUri),
    mime: optional('mime', unit.mime),
    created: unit.createdAt,
    time_start: time?.tStartMs ?? null,
    time_end: time?.tEndMs ?? null,
    metadata: metadataTokens(unit.metadata),
    length,
    length_class: length === 0 ? null : lengthClass(length),
    bag,
    ...terms,
    stops,
  }
}

const readersToken = (group: string) => (group === '*' ? everyone : valueToken('group', group))

function metadataTokens(metadata: Metadata): string[] {
  const tokens = Object.entries(metadata).flatMap(([key, value]) => [
    ...listed(value).map((one) => metadataToken(key, one)),
    ...(typeof value === 'number' ? numberTokens(key, value) : []),
  ])
  return [...new Set(tokens)]
}

const listed = (value: MetadataValue) => (typeof value === 'object' ? value : [value])
