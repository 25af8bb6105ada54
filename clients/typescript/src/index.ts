export type * from './answers.ts'
export { type Client, createClient } from './client.ts'
export {
  BadRequest,
  ConnectionError,
  Forbidden,
  InternalError,
  NotFound,
  NotModified,
  QuotaExceeded,
  RateLimited,
  SvcError,
  Unauthorized,
  Unavailable,
  UpgradeRequired,
} from './errors.ts'
export type { ClientOptions, RequestOptions } from './send.ts'
export type { UploadedSource, UploadOptions } from './upload.ts'
export { verifyCitation } from './verify/citation.ts'
export { verifyExport } from './verify/export.ts'
export { missingRows } from './verify/missing.ts'
export { verifyConsistency, verifyInclusion } from './verify/proofs.ts'
export type { Verdict } from './verify/verdict.ts'
