import { renditions } from '../../../domain/sources/source-input.ts'
import type { SourceLink } from '../../../domain/sources/source-links.ts'
import { builder } from '../../builder/builder.ts'
import { runs } from '../../builder/root-fields.ts'
import { enumType } from '../../builder/types.ts'

enumType('SourceRendition', 'A form of a source.', renditions, {
  original: 'The bytes as they were uploaded.',
  text: 'The text that `char_span` and `line_range` point into, in UTF-8.',
})

const SourceLinkRef = builder.objectRef<SourceLink>('SourceLink').implement({
  description: 'A link to the source of a Unit.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        'GET and HEAD answer with the source, without a credential, while the caller may still read the Unit. It begins with `PUBLIC_URL`, or is a path if that is not set.',
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'SafeInt',
      description: 'Epoch milliseconds, at most five minutes from now.',
    }),
    mime: t.exposeString('mime', { description: 'What the bytes are.' }),
    bytes: t.expose('bytes', { type: 'SafeInt', description: 'Size.' }),
    sha256: t.exposeString('sha256', { description: 'SHA-256 of the bytes, in hex.' }),
    name: t.exposeString('name', { nullable: true, description: 'The name that the uploader gave.' }),
    inline: t.exposeBoolean('inline', { description: 'A browser shows it. Otherwise it saves it.' }),
  }),
})

builder.queryField('sourceLink', (t) =>
  t.field({
    type: SourceLinkRef,
    ...runs('sourceLink', (args, services) => services.sourceLink(args)),
  }),
)
