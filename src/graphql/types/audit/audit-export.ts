import type { AuditExport } from '../../../domain/audit/export-audit.ts'
import { exportFormats } from '../../../model/audit.ts'
import { runs } from '../../builder/root-fields.ts'
import { enumType, objectType, safeInt, string } from '../../builder/types.ts'

enumType('AuditExportFormat', 'The format of an exported log. Each line is a JSON object.', exportFormats, {
  ndjson: 'The rows as they were hashed, oldest first. `audit verify` checks this format.',
  ocsf: 'Events of the Open Cybersecurity Schema Framework. They cannot be verified; the hashes are in `unmapped`.',
})

const AuditExportRef = objectType<AuditExport>('AuditExport', 'A link that exports an audit log once.', {
  url: string(
    'The address of the log. The first GET returns it, without a credential. It begins with `PUBLIC_URL`, or is a path if that is not set.',
  ),
  expiresAt: safeInt('Epoch milliseconds, at most ten minutes from now.'),
})

runs('exportAudit', AuditExportRef, (args, services) => services.audit.export(args))
