import type { DocumentRecord } from '../../model/document.ts'
import type { Session } from '../../model/session.ts'
import type { GivenUnit, ParsedFile, ParsedUnit } from '../../ports/parser.ts'
import { parseItems } from '../input/parse.ts'
import { readVector } from '../input/vector.ts'
import { type PlacedUnit, placeUnits } from '../units/place-units.ts'
import { unitInput } from '../units/unit-input.ts'
import { merged } from './versions.ts'

/** The Units of a parsed file, where the session puts them. Errors: those of an ingest. */
export async function prepareUnits(
  session: Session,
  document: DocumentRecord,
  file: ParsedFile,
  scopeHeader: string,
): Promise<PlacedUnit[]> {
  const sent = file.units.map((unit) => (unit.given ? givenUnit(unit.given, document) : madeUnit(unit, document, file)))
  return placeUnits(session, await parseItems(unitInput, sent, ['units']), scopeHeader)
}

function madeUnit(unit: ParsedUnit, document: DocumentRecord, { mime }: ParsedFile): Readonly<Record<string, unknown>> {
  const { modality, text, title, locator, metadata } = unit
  return {
    modality,
    ...(text !== null && { text }),
    ...(title !== null && { title }),
    ...(locator && { locator }),
    sourceUri: document.sourceUri,
    mime,
    docId: document.docId,
    aclGroups: document.aclGroups,
    metadata: merged(metadata, document.metadata),
  }
}

const wireNames: Readonly<Record<string, string>> = {
  unit_id: 'unitId',
  source_uri: 'sourceUri',
  doc_id: 'docId',
  external_id: 'externalId',
  acl_owner: 'aclOwner',
  acl_groups: 'aclGroups',
  t_start_ms: 'tStartMs',
  t_end_ms: 'tEndMs',
}

/** A line of JSONL in the names of the domain, with what it leaves to the document. */
function givenUnit(given: GivenUnit, { docId, aclGroups }: DocumentRecord): Readonly<Record<string, unknown>> {
  const { locator, vector, ...fields } = renamed(given)
  return {
    docId,
    aclGroups,
    ...fields,
    ...(locator !== undefined && { locator: isObject(locator) ? renamed(locator) : locator }),
    ...(vector !== undefined && { vector: floatsOf(vector) }),
  }
}

/** Null means "not sent". */
const renamed = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === null ? [] : [[wireNames[key] ?? key, value]])),
  )

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What is not a vector is left for the rules to refuse. */
function floatsOf(vector: unknown): unknown {
  const read = readVector(vector)
  return typeof read === 'string' ? vector : read
}
