import type { Locator } from '../../../model/unit.ts'
import { builder } from '../../builder/builder.ts'
import { enumType, float, int, nullable, objectType, of, safeInt } from '../../builder/types.ts'

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

const kind = of(LocatorKindEnum, 'Which kind this is.')

const TimeRange = objectType<Of<'time_range'>>('TimeRange', 'A time range in the source.', {
  kind,
  tStartMs: safeInt('First millisecond.'),
  tEndMs: safeInt('Last millisecond.'),
})

const BoundingBox = objectType<Of<'bbox'>>(
  'BoundingBox',
  'A rectangle of a page or frame, in fractions 0..1 from the top left.',
  {
    kind,
    page: nullable(int('Page number.')),
    x: float('Left edge.'),
    y: float('Top edge.'),
    w: float('Width.'),
    h: float('Height.'),
  },
)

const CharSpan = objectType<Of<'char_span'>>(
  'CharSpan',
  'A span of the source text in UTF-16 offsets, end exclusive.',
  {
    kind,
    start: safeInt('First offset.'),
    end: safeInt('Offset after the last character.'),
  },
)

const LineRange = objectType<Of<'line_range'>>('LineRange', 'Lines of the source, 1-based and inclusive.', {
  kind,
  start: safeInt('First line.'),
  end: safeInt('Last line.'),
})

const refs = { time_range: TimeRange, bbox: BoundingBox, char_span: CharSpan, line_range: LineRange }

export const LocatorUnion = builder.unionType('Locator', {
  description: 'A span inside the raw source.',
  types: Object.values(refs),
  resolveType: (locator) => refs[locator.kind],
})
