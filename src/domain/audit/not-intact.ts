import { auditInconsistent, type ServiceError } from '../../errors.ts'
import type { Namespace } from '../../model/registry.ts'

/** Why nothing is signed or proved: the log was changed, as verification reports too. */
export const notIntact = ({ name }: Pick<Namespace, 'name'>, reason: string): ServiceError =>
  auditInconsistent(`the audit log of ${name} is not intact: ${reason}`)
