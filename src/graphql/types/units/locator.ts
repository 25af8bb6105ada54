import type { Locator } from '../../../model/unit.ts'
import { builder } from '../../builder/builder.ts'
import { enumType } from '../../builder/types.ts'

type Of<K extends Locator['kind']> = Extract<Locator, { kind: K }>

const LocatorKindEnum = enumType(
  'LocatorKind',
  'The kind of a locator.',
  ['time_range', 'bbox', 'char_span', 'line_range'] as const,
  {
    time_range: 'Milliseconds.',
    bbox: 'Fractions of the page or frame.',
    char_span: 'UTF-16 offsets.',
    line_range: '1-based lines.',
  },
)

const kind = { type: LocatorKindEnum, description: 'Which kind this is.' } as const

const TimeRange = builder.objectRef<Of<'time_range'>>('TimeRange').implement({
  description: 'A time range in the source.',
  fields: (t) => ({
    kind: t.expose('kind', kind),
    tStartMs: t.expose('tStartMs', { type: 'SafeInt', description: 'First millisecond.' }),
    tEndMs: t.expose('tEndMs', { type: 'SafeInt', description: 'Last millisecond.' }),
  }),
})

const BoundingBox = builder.objectRef<Of<'bbox'>>('BoundingBox').implement({
  description: 'A rectangle of a page or frame, in fractions 0..1 from the top left.',
  fields: (t) => ({
    kind: t.expose('kind', kind),
    page: t.int({ nullable: true, description: 'Page number.', resolve: (box) => box.page ?? null }),
    x: t.exposeFloat('x', { description: 'Left edge.' }),
    y: t.exposeFloat('y', { description: 'Top edge.' }),
    w: t.exposeFloat('w', { description: 'Width.' }),
    h: t.exposeFloat('h', { description: 'Height.' }),
  }),
})

const CharSpan = builder.objectRef<Of<'char_span'>>('CharSpan').implement({
  description: 'A span of the source text in UTF-16 offsets, end exclusive.',
  fields: (t) => ({
    kind: t.expose('kind', kind),
    start: t.expose('start', { type: 'SafeInt', description: 'First offset.' }),
    end: t.expose('end', { type: 'SafeInt', description: 'Offset after the last character.' }),
  }),
})

const LineRange = builder.objectRef<Of<'line_range'>>('LineRange').implement({
  description: 'Lines of the source, 1-based and inclusive.',
  fields: (t) => ({
    kind: t.expose('kind', kind),
    start: t.expose('start', { type: 'SafeInt', description: 'First line.' }),
    end: t.expose('end', { type: 'SafeInt', description: 'Last line.' }),
  }),
})

const refs = { time_range: TimeRange, bbox: BoundingBox, char_span: CharSpan, line_range: LineRange }

export const LocatorUnion = builder.unionType('Locator', {
  description: 'A span inside the raw source.',
  types: Object.values(refs),
  resolveType: (locator) => refs[locator.kind],
})
