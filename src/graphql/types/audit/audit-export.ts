import { exportInput } from '../../../domain/audit/audit-input.ts'
import type { AuditExport } from '../../../domain/audit/export-audit.ts'
import { exportFormats } from '../../../model/audit-export.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { described } from '../common/enums.ts'

const FormatEnum = builder.enumType('AuditExportFormat', {
  description: 'How a log is written out, one JSON object on each line.',
  values: described(exportFormats, {
    ndjson: 'The rows as they were hashed, oldest first: what `audit verify` checks.',
    ocsf: 'Events of the Open Cybersecurity Schema Framework. They cannot be verified; hashes stand in `unmapped`.',
  }),
})

const AuditExportRef = builder.objectRef<AuditExport>('AuditExport').implement({
  description: 'A link that exports an audit log once.',
  fields: (t) => ({
    url: t.exposeString('url', {
      description:
        'Where GET answers with the log, once, whoever asks. Begins with `PUBLIC_URL`, or is a path where that is not set.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'SafeInt', description: 'Epoch milliseconds, ten minutes on at most.' }),
  }),
})

builder.mutationField('exportAudit', (t) =>
  t.field({
    type: AuditExportRef,
    description:
      "Makes a link that exports the namespace's whole audit log once. Needs an admin principal, who must still be one when it is used, and a tier with an audit log.",
    args: { format: t.arg({ type: FormatEnum, description: 'How it is written.' }) },
    ...checked(exportInput, (args, context) => servicesOf(context).audit.export(args)),
  }),
)
