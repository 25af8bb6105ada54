import { noSuchRoute } from '../../errors.ts'
import { withRequestId } from '../handlers.ts'
import { exposedHeaders, type Handler, json, splitTarget, toServiceError, withCallerHeaders } from '../message.ts'
import { withCors } from '../origin.ts'
import { inWireNames } from '../rest/call.ts'
import { parseBody } from '../rest/input.ts'
import { createMatcher } from '../rest/route.ts'
import { createSurface, type SurfaceOptions } from '../rest/surface.ts'
import { answeringCalls, answeringStreams } from './answering.ts'
import { chatRoutes } from './chat.ts'
import { fileCalls, fileRoutes } from './files.ts'
import { storeOf } from './filters.ts'
import { modelCalls, modelRoutes } from './models.ts'
import { errorOf, type OpenAiRoute } from './request.ts'
import { responseRoutes } from './responses.ts'
import { storeCalls, storeRoutes } from './stores.ts'

const base = '/openai/v1'
const routes: readonly OpenAiRoute[] = [
  ...modelRoutes,
  ...chatRoutes,
  ...responseRoutes,
  ...storeRoutes,
  ...fileRoutes,
].map((route) => ({ ...route, path: `${base}${route.path}` }))

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
      if (!found) throw noSuchRoute(request.method, request.target)
      const { route, params } = found
      request.record.route = route.path.replace(/\/:(\w+)/g, '/{$1}')
      const scope = storeOf(params.scope)
      const caller = await enter(request, `${route.method} ${route.path}`, scope)
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
