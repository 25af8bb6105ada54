import { renditions } from '../../../domain/sources/source-input.ts'
import type { SourceLink } from '../../../domain/sources/source-links.ts'
import { runs } from '../../builder/root-fields.ts'
import { boolean, enumType, nullable, objectType, safeInt, string } from '../../builder/types.ts'

enumType('SourceRendition', 'A form of a source.', renditions, {
  original: 'The bytes as they were uploaded.',
  text: 'The text that `char_span` and `line_range` point into, in UTF-8.',
})

const SourceLinkRef = objectType<SourceLink>('SourceLink', 'A link to the source of a Unit.', {
  url: string(
    'GET and HEAD answer with the source, without a credential, while the caller may still read the Unit. It begins with `PUBLIC_URL`, or is a path if that is not set.',
  ),
  expiresAt: safeInt('Epoch milliseconds, at most five minutes from now.'),
  mime: string('What the bytes are.'),
  bytes: safeInt('Size.'),
  sha256: string('SHA-256 of the bytes, in hex.'),
  name: nullable(string('The name that the uploader gave.')),
  inline: boolean('A browser shows it. Otherwise it saves it.'),
})

runs('sourceLink', SourceLinkRef, (args, services) => services.sourceLink(args))
