import { badRequest, ServiceError } from '../../errors.ts'

/** Refuses a request with unsupported media types or query parameters, before its document is read. */
export function checkRequest(request: Request): void {
  const { method, headers } = request
  if (method === 'POST' && !isJson(headers)) {
    throw new ServiceError('unsupported_media_type', 'the header Content-Type must be application/json')
  }
  // Checked first: an operation must not run if its answer cannot be sent.
  if (!accepts(headers)) throw new ServiceError('not_acceptable', 'the header Accept must allow application/json')
  if (method === 'GET') checkParameters(new URL(request.url).searchParams)
}

/** A page of another origin can post forms and plain text without a preflight. */
function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() === 'application/json'
}

const sent = [
  '*/*',
  'application/*',
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
]

function accepts(headers: Headers): boolean {
  const accept = headers.get('accept') ?? ''
  if (accept.trim() === '') return true
  return accept.split(',').some((range) => sent.includes(range.split(';')[0]?.trim().toLowerCase() ?? ''))
}

function checkParameters(parameters: URLSearchParams): void {
  for (const name of ['variables', 'extensions']) {
    const text = parameters.get(name)
    if (text && !isParseable(text)) throw badRequest(`${name}: must be valid JSON`)
  }
}

function isParseable(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
