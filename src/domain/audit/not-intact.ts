import { auditInconsistent, type ServiceError } from '../../errors.ts'
import type { Namespace } from '../../model/registry.ts'

/** Why nothing is signed or proved: the log is not what it was, as verification says too. */
export const notIntact = ({ name }: Pick<Namespace, 'name'>, reason: string): ServiceError =>
  auditInconsistent(`the audit log of ${name} is not intact: ${reason}`)
