import type { UnitPage } from '../../../domain/units/read-units.ts'
import type { Unit } from '../../../model/unit.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import {
  exposed,
  int,
  list,
  metadata,
  nextCursor,
  nullable,
  objectType,
  of,
  safeInt,
  string,
} from '../../builder/types.ts'
import { ContextRef } from '../access/context.ts'
import { ModalityEnum, PlaneEnum } from '../common/enums.ts'
import { LocatorUnion } from './locator.ts'

/** The fields of a Unit wherever it appears. */
export const UnitFacts = builder.interfaceRef<Unit>('UnitFacts').implement({
  description: 'The fields of a Unit that are also in hits.',
  fields: (t) =>
    exposed<Unit>(t, {
      unitId: string('The id that the service gave it.'),
      externalId: nullable(string("The writer's own id.")),
      scope: string('Its scope.'),
      plane: of(PlaneEnum, 'Where it is indexed.'),
      modality: of(ModalityEnum, 'What kind of content it is.'),
      text: nullable(string('Text, or extracted caption, OCR or transcript.')),
      title: nullable(string('Ranked with the text, and never quoted: the path of headings above it.')),
      language: nullable(string('Of the text, as the writer sent it; null where it is detected.')),
      docId: nullable(string('Groups Units under one source.')),
      sourceUri: nullable(string('Pointer to the raw source.')),
      mime: nullable(string('Content type of the source.')),
      locator: nullable(of(LocatorUnion, 'Span inside the source.')),
      metadata: metadata("The caller's own fields."),
      createdAt: safeInt('Epoch milliseconds.'),
    }),
})

export const UnitRef = builder.objectRef<Unit>('Unit').implement({
  description: 'A piece of content that the caller may read.',
  interfaces: [UnitFacts],
  fields: (t) => ({
    ...exposed<Unit>(t, { updatedAt: safeInt('Epoch milliseconds of the latest change.') }),
    aclOwner: t.string({ description: 'The principal that owns it.', resolve: (unit) => unit.acl.owner }),
    aclGroups: t.stringList({ description: 'Groups that may read it.', resolve: (unit) => [...unit.acl.groups] }),
    version: t.expose('seq', {
      type: 'SafeInt',
      description: 'Increases with every change. Send it to `updateUnit` to prevent lost updates.',
    }),
  }),
})

export const UnitPageRef = objectType<UnitPage>('UnitPage', 'A page of Units in ingest order.', {
  units: list(UnitRef, 'The visible Units.'),
  hiddenByAcl: int(
    'Live Units in the listed scopes that the caller may not read, whatever the filters. `hiddenCount` of the namespace and of the key can limit it to 0 or 1, or to 0.',
  ),
  context: of(ContextRef, 'The enforcement context.'),
  nextCursor,
})

runs('units', UnitPageRef, (page, services) => services.units.list(page))

runs('unit', UnitRef, ({ unitId }, services) => services.units.get(unitId))
