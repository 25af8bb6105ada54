import type { UnitPage } from '../../../domain/units/read-units.ts'
import type { Unit } from '../../../model/unit.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { nextCursorField } from '../../builder/types.ts'
import { ContextRef } from '../access/context.ts'
import { ModalityEnum, PlaneEnum } from '../common/enums.ts'
import { LocatorUnion } from './locator.ts'

/** The fields of a Unit wherever it appears. */
export const UnitFacts = builder.interfaceRef<Unit>('UnitFacts').implement({
  description: 'The fields of a Unit that are also in hits.',
  fields: (t) => ({
    unitId: t.exposeString('unitId', { description: 'The id that the service gave it.' }),
    externalId: t.exposeString('externalId', { nullable: true, description: "The writer's own id." }),
    scope: t.exposeString('scope', { description: 'Its scope.' }),
    plane: t.expose('plane', { type: PlaneEnum, description: 'Where it is indexed.' }),
    modality: t.expose('modality', { type: ModalityEnum, description: 'What kind of content it is.' }),
    text: t.exposeString('text', { nullable: true, description: 'Text, or extracted caption, OCR or transcript.' }),
    title: t.exposeString('title', {
      nullable: true,
      description: 'Ranked with the text, and never quoted: the path of headings above it.',
    }),
    language: t.exposeString('language', {
      nullable: true,
      description: 'Of the text, as the writer sent it; null where it is detected.',
    }),
    docId: t.exposeString('docId', { nullable: true, description: 'Groups Units under one source.' }),
    sourceUri: t.exposeString('sourceUri', { nullable: true, description: 'Pointer to the raw source.' }),
    mime: t.exposeString('mime', { nullable: true, description: 'Content type of the source.' }),
    locator: t.expose('locator', { type: LocatorUnion, nullable: true, description: 'Span inside the source.' }),
    metadata: t.expose('metadata', { type: 'Metadata', description: "The caller's own fields." }),
    createdAt: t.expose('createdAt', { type: 'SafeInt', description: 'Epoch milliseconds.' }),
  }),
})

export const UnitRef = builder.objectRef<Unit>('Unit').implement({
  description: 'A piece of content that the caller may read.',
  interfaces: [UnitFacts],
  fields: (t) => ({
    aclOwner: t.string({ description: 'The principal that owns it.', resolve: (unit) => unit.acl.owner }),
    aclGroups: t.stringList({ description: 'Groups that may read it.', resolve: (unit) => [...unit.acl.groups] }),
    version: t.expose('seq', {
      type: 'SafeInt',
      description: 'Increases with every change. Send it to `updateUnit` to prevent lost updates.',
    }),
    updatedAt: t.expose('updatedAt', { type: 'SafeInt', description: 'Epoch milliseconds of the latest change.' }),
  }),
})

export const UnitPageRef = builder.objectRef<UnitPage>('UnitPage').implement({
  description: 'A page of Units in ingest order.',
  fields: (t) => ({
    units: t.expose('units', { type: [UnitRef], description: 'The visible Units.' }),
    hiddenByAcl: t.exposeInt('hiddenByAcl', {
      description:
        'Live Units in the listed scopes that the caller may not read, whatever the filters. `hiddenCount` of the namespace and of the key can limit it to 0 or 1, or to 0.',
    }),
    context: t.expose('context', { type: ContextRef, description: 'The enforcement context.' }),
    nextCursor: t.expose('nextCursor', nextCursorField),
  }),
})

builder.queryFields((t) => ({
  units: t.field({
    type: UnitPageRef,
    ...runs('units', (page, services) => services.units.list(page)),
  }),
  unit: t.field({
    type: UnitRef,
    ...runs('unit', ({ unitId }, services) => services.units.get(unitId)),
  }),
}))
