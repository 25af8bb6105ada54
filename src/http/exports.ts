import { notFound } from '../errors.ts'
import type { Log } from '../model/log.ts'
import { withCors } from './cors.ts'
import { withFailures } from './failures.ts'
import { privateHeaders } from './json.ts'
import { linkSecret } from './link-secret.ts'
import type { Handler } from './message.ts'
import { requestIdOf, withRequestId } from './request-id.ts'

export interface ExportHandlerOptions {
  /** Uses up the link with this token, unless `peek` is set; null when the link is not valid. */
  open(token: string, requestId: string, options: { peek: boolean }): Promise<Opened | null>
  log: Log
  allowedOrigins?: readonly string[]
}

interface Opened {
  namespace: string
  format: string
  text: AsyncIterable<string>
}

/** Serves exports by their one-time links; mount it at `/exports/`. Everything except a GET of a live link is 404. */
export function createExportHandler({ open, log, allowedOrigins = [] }: ExportHandlerOptions): Handler {
  const handler: Handler = async (request) => {
    const token = linkSecret(request, 'GET', '/exports/')
    const opened =
      token === undefined ? null : await open(token, requestIdOf(request.headers), { peek: request.isHead ?? false })
    if (!opened) throw notFound('no such export: the link was used or has expired; request another one')
    const { namespace, format, text } = opened
    return {
      status: 200,
      headers: {
        'content-type': 'application/x-ndjson',
        'content-disposition': `attachment; filename="audit-${namespace}${format === 'ndjson' ? '' : `-${format}`}.ndjson"`,
        ...privateHeaders,
      },
      body: text,
    }
  }
  return withRequestId(withCors(withFailures(handler, log), allowedOrigins))
}
