import { z } from 'zod'
import { badRequest, notFound, type ServiceError } from '../../errors.ts'
import { withRequestId } from '../handlers.ts'
import { exposedHeaders, type Handler, json, splitTarget, toServiceError, withCallerHeaders } from '../message.ts'
import { withCors } from '../origin.ts'
import { type CallPlan, inWireNames } from '../rest/call.ts'
import { parseBody } from '../rest/input.ts'
import { createMatcher } from '../rest/route.ts'
import { createSurface, readInput, type SurfaceOptions, tokensOf } from '../rest/surface.ts'
import { answeringCalls, answeringStreams, chatRoutes } from './answering.ts'
import { batchRoutes } from './batches.ts'
import { fileCalls, fileRoutes } from './files.ts'
import { storeOf } from './filters.ts'
import { errorOf, type OpenAiRequest, type OpenAiRoute } from './request.ts'
import { responseRoutes } from './responses.ts'
import { storeFileRoutes } from './store-files.ts'
import { storeCalls, storeRoutes } from './stores.ts'

const base = '/openai/v1'

/**
 * OpenAI's API over the operations of REST, below `/openai/v1`: what its clients send, and its errors. Errors come in the
 * order of REST.
 */
export function createOpenAiEndpoint<Context>(options: SurfaceOptions<Context> & { embeddingModel: string }): Handler {
  const { brand, allowedOrigins, log, embeddingModel } = options
  const enter = createSurface(options, {
    via: 'openai',
    calls: { ...modelCalls, ...answeringCalls, ...storeCalls, ...fileCalls },
    streams: answeringStreams,
  })
  const match = createMatcher(routes)
  const handler: Handler = async (request) => {
    const errorIn = (error: unknown) => toServiceError(inWireNames(error), request, log)
    try {
      const { path, query } = splitTarget(request.target)
      const found = match(request.method, path)
      if (!found) throw unknownRoute(request.method, path)
      const { route, params, malformed } = found
      request.record.route = route.path.replace(/\/:(\w+)/g, '/{$1}')
      const scope = storeOf(params.scope)
      const caller = await enter(request, `${route.method} ${route.path}`, scope)
      const [wrong] = malformed
      if (wrong !== undefined) throw badRequest(`${idNameOf(wrong)}: must be valid percent-encoded text`)
      return await route.answer({
        caller,
        embeddingModel,
        params: scope === undefined ? params : { ...params, scope },
        query: new URLSearchParams(query),
        headers: request.headers,
        body: async () => (await parseBody(await request.body())) ?? {},
        bytes: () => request.body(),
        failureOf: (error) => errorOf(errorIn(error)),
      })
    } catch (error) {
      const failure = errorIn(error)
      return json(failure.status, errorOf(failure))
    }
  }
  return withRequestId(withCors(withCallerHeaders(handler, brand), allowedOrigins, { exposed: exposedHeaders(brand) }))
}

/** What OpenAI calls a parameter of our paths. */
const idNameOf = (param: string) => ({ scope: 'vector_store_id', model: 'model' })[param] ?? `${param}_id`

const modelCalls: Record<string, CallPlan> = {
  embed: { field: 'embed', args: { texts: 'input', kind: 'input_type' }, answer: 'dims vectors' },
}

const textsProblem = 'must be a text or a list of texts, none of them empty'
const input = z.looseObject({
  model: z.string('must be a string'),
  input: z
    .union([z.string(), z.array(z.string())], textsProblem)
    .transform((sent) => [sent].flat())
    .refine((texts) => texts.length > 0 && texts.every((text) => text !== ''), textsProblem),
  encoding_format: z.enum(['float', 'base64'], 'must be float or base64').nullish(),
  /** As other services have it: some models embed questions and passages differently. */
  input_type: z.enum(['query', 'passage'], 'must be query or passage').nullish(),
  dimensions: z.int('must be an integer').nullish(),
})

const modelRoutes: readonly OpenAiRoute[] = [
  { method: 'GET', path: '/models', answer: async (request) => json(200, { object: 'list', data: modelsOf(request) }) },
  {
    method: 'GET',
    path: '/models/:model',
    answer: async (request) => {
      const found = modelsOf(request).find(({ id }) => id === request.params.model)
      if (!found) throw notFound('model: must be one that GET /models lists')
      return json(200, found)
    },
  },
  {
    method: 'POST',
    path: '/embeddings',
    answer: async ({ caller, embeddingModel, body }) => {
      const sent = readInput(input, await body())
      if (sent.model !== embeddingModel) throw notFound(`model: must be ${embeddingModel}, which embeds texts here`)
      const { vectors, dims } = await caller.run<{ vectors: number[][]; dims: number }>('embed', {
        input: sent.input,
        input_type: sent.input_type,
      })
      if ((sent.dimensions ?? dims) !== dims) throw badRequest(`dimensions: must be ${dims}, which the model has`)
      const written = sent.encoding_format === 'base64' ? toBase64 : (vector: number[]) => vector
      const prompt_tokens = tokensOf(sent.input.join('\n'))
      return json(200, {
        object: 'list',
        data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: written(vector) })),
        model: embeddingModel,
        usage: { prompt_tokens, total_tokens: prompt_tokens },
      })
    },
  },
]

/** Little-endian float32, as both official clients read it. */
function toBase64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(4 * vector.length)
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, 4 * i)
  return bytes.toString('base64')
}

const modelsOf = ({ caller: { brand }, embeddingModel }: OpenAiRequest) =>
  [`${brand}-answer`, `${brand}-search`, embeddingModel].map((id) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: brand,
  }))

const refused = (method: OpenAiRoute['method'], path: string, error: ServiceError): OpenAiRoute => ({
  method,
  path,
  answer: () => Promise.reject(error),
})
const notKept = notFound('response_id: responses are not kept; send the earlier messages again')
const onlyPath = badRequest('name: must be left out: a store is a scope, which keeps its path and has no other fields')
const onlyText = badRequest(
  'file_id: bytes are not given back; use /vector_stores/{id}/files for the text of a file of a store',
)

/** What clients try, and what they could do instead. */
const refusalRoutes: readonly OpenAiRoute[] = [
  refused('POST', '/vector_stores/:scope', onlyPath),
  refused('GET', '/files/:file/content', onlyText),
  refused('GET', '/responses/:response', notKept),
  refused('DELETE', '/responses/:response', notKept),
]

const offered = [modelRoutes, chatRoutes, responseRoutes, storeRoutes, storeFileRoutes, batchRoutes, fileRoutes].flat()

const routes: readonly OpenAiRoute[] = [...offered, ...refusalRoutes].map((route) => ({
  ...route,
  path: `${base}${route.path}`,
}))

const unknownRoute = (method: string, path: string): ServiceError => {
  const known = [...new Set(offered.map((one) => one.path.replace(/\/:.*/, '')))].join(', ')
  return notFound(`unknown route: ${method} ${path.slice(0, 200)}; use one below ${base}: ${known}`)
}
