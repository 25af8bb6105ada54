import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer as bodyOf } from 'node:stream/consumers'
import { createBuiltinInference } from '../../../src/adapters/inference-builtin/builtin-inference.ts'
import { listen, shut } from '../process/local-http.ts'

/** How a provider's server may fail. Each fault lasts for as many requests as are queued, or until it is removed. */
export type Fault =
  | { kind: 'delay'; ms: number }
  | { kind: 'status'; status: number; retryAfter?: string }
  | { kind: 'reset' }
  | { kind: 'truncated' }
  | { kind: 'body'; body: string }
  /** The normal answer, changed by a function. */
  | { kind: 'changed'; change: (answer: Json) => unknown }

// Answers of several APIs, taken apart and changed by tests.
// biome-ignore lint/suspicious/noExplicitAny: the wire has no types
export type Json = any

export interface Asked {
  path: string
  headers: IncomingMessage['headers']
  body: Json
}

export interface ChatPrompt {
  system: string
  user: string
  body: Json
}

/** Whether a request asks a chat model what to search next. */
export const asksForQueries = ({ body }: Pick<Asked, 'body'>): boolean =>
  body.messages?.[0]?.content.includes('{"queries": ') ?? false

export interface ModelServer {
  url: string
  /** Every request, in order of arrival. */
  asked: Asked[]
  /** Faults for the next requests, one each; after them `always` applies, if it is set. */
  faults: Fault[]
  always: Fault | null
  /** Only requests whose path ends with this meet faults. */
  faultyPath: string
  /** The chat model's answer to a prompt. */
  chat: (prompt: ChatPrompt) => string
  /** Its reply to a prompt that asks for queries. */
  plan: (prompt: ChatPrompt) => string
  /** What the embedding model sees in a picture: its vector is that of this text. */
  see: (picture: Buffer) => string
  /** The answer of /audio/transcriptions. */
  transcribe: (form: Json) => Json
  /** The probability that the premise entails the hypothesis. */
  nli: (premise: string, hypothesis: string) => number
  /** Error statuses by request, checked first: this is how a server rejects what it does not support. */
  refuse: (path: string, body: Json) => number | null
  /** Requests in flight, and the maximum at one time. */
  open: number
  maxOpen: number
  [Symbol.asyncDispose](): Promise<void>
}

export const embeddingDims = 64
const embedder = createBuiltinInference()

/** Similar texts get near vectors; equal texts get equal vectors. Their length is not 1, as with many servers. */
async function embed(text: string, dims = embeddingDims): Promise<number[]> {
  const [vector] = await embedder.embed('text', [text], 'passage')
  const folded = new Array<number>(dims).fill(0)
  for (const [i, value] of (vector ?? []).entries()) folded[i % dims] = (folded[i % dims] ?? 0) + 3 * value
  return folded
}

async function relevance(query: string, text: string): Promise<number> {
  const [a, b] = await embedder.embed('text', [query, text], 'passage')
  const cosine = (a ?? new Float32Array()).reduce((sum, value, i) => sum + value * (b?.[i] ?? 0), 0)
  return Math.min(1, Math.max(0, cosine))
}

/**
 * A model server on this machine. It supports OpenAI's /v1/embeddings, /v1/chat/completions and
 * /v1/audio/transcriptions, /rerank in the formats
 * of Cohere and of Text Embeddings Inference, the latter's /predict, and Pinecone's /embed and /rerank.
 */
export async function startModelServer(): Promise<ModelServer> {
  const http = createServer((request, response) => {
    server.open += 1
    server.maxOpen = Math.max(server.maxOpen, server.open)
    response.on('close', () => {
      server.open -= 1
    })
    handle(server, request, response).catch(() => response.destroy())
  })
  const server: ModelServer = {
    url: '',
    asked: [],
    faults: [],
    always: null,
    faultyPath: '',
    chat: () => '{"statements": []}',
    plan: () => '{"queries": []}',
    see: () => 'a picture',
    transcribe: () => ({ text: '' }),
    nli: () => 1,
    refuse: () => null,
    open: 0,
    maxOpen: 0,
    [Symbol.asyncDispose]: () => shut(http),
  }
  server.url = await listen(http)
  return server
}

async function handle(server: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? ''
  const body = await read(request)
  server.asked.push({ path, headers: request.headers, body })
  const fault = path.endsWith(server.faultyPath) ? (server.faults.shift() ?? server.always) : null
  if (fault?.kind === 'delay') await wait(fault.ms, response)
  if (fault?.kind === 'reset') return void request.socket.resetAndDestroy()
  const status = fault?.kind === 'status' ? fault.status : server.refuse(path, body)
  if (status !== null) {
    const headers = fault?.kind === 'status' && fault.retryAfter ? { 'retry-after': fault.retryAfter } : {}
    return void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error: { message: `refused: ${JSON.stringify(body)}` } }))
  }
  const answer = await answerTo(server, path, body)
  if (answer === null) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('not found')
  const changed = fault?.kind === 'changed' ? fault.change(answer) : answer
  const sent = fault?.kind === 'body' ? fault.body : JSON.stringify(changed)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) })
  if (fault?.kind === 'truncated') {
    response.write(sent.slice(0, sent.length >> 1), () => request.socket.destroy())
  } else response.end(sent)
}

/** JSON, or the fields of a form: a file is its name, type and size. */
async function read(request: IncomingMessage): Promise<Json> {
  const bytes = await bodyOf(request)
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/')) return JSON.parse(bytes.toString())
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
  const shown = (value: FormDataEntryValue) =>
    typeof value === 'string' ? value : { name: value.name, type: value.type, size: value.size }
  return Object.fromEntries([...form].map(([key, value]) => [key, shown(value)]))
}

/** Waits until the time is over or the client disconnects. */
function wait(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    response.on('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Null if the path is unknown. */
async function answerTo(server: ModelServer, path: string, body: Json): Promise<Json> {
  if (path === '/v1/embeddings') {
    const vectors = await Promise.all(passagesOf(server, body).map((text) => embed(text)))
    return {
      object: 'list',
      model: body.model,
      data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    }
  }
  if (path === '/v1/audio/transcriptions') return server.transcribe(body)
  if (path === '/v1/chat/completions') return completion(server, body)
  if (path === '/rerank' && body.documents?.[0]?.text !== undefined) return pineconeRanking(body)
  if (path === '/v1/rerank' || path === '/rerank') return ranking(body)
  if (path === '/predict') {
    return body.inputs.map(([premise, hypothesis]: [string, string]) => {
      const entailed = server.nli(premise, hypothesis)
      return [
        { label: 'contradiction', score: (1 - entailed) / 2 },
        { label: 'neutral', score: (1 - entailed) / 2 },
        { label: 'entailment', score: entailed },
      ]
    })
  }
  if (path === '/embed') {
    const vectors = await Promise.all(body.inputs.map(({ text }: { text: string }) => embed(text)))
    return {
      model: body.model,
      vector_type: 'dense',
      data: vectors.map((values) => ({ vector_type: 'dense', values })),
      usage: { total_tokens: 1 },
    }
  }
  return null
}

/** The texts of a request, and what is seen in its pictures, in each shape that servers take. */
function passagesOf({ see }: ModelServer, { input, messages, modality }: Json): string[] {
  const picture = (url: string) => see(Buffer.from(url.replace(/^data:image\/\w+;base64,/, ''), 'base64'))
  if (messages) return [picture(messages[0].content[0].image_url.url)]
  return input.map((one: Json) =>
    typeof one !== 'string' ? picture(one.image) : modality === 'image' ? picture(one) : one,
  )
}

function completion(server: ModelServer, body: Json): Json {
  const said = (role: string) =>
    body.messages
      .filter((message: Json) => message.role === role)
      .map((message: Json) => message.content)
      .join('\n')
  const prompt = { system: said('system'), user: said('user'), body }
  const content = asksForQueries({ body }) ? server.plan(prompt) : server.chat(prompt)
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: body.model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }
}

/** Best first, as rerankers answer. */
async function ranked(query: string, texts: readonly string[]) {
  const scores = await Promise.all(texts.map((text) => relevance(query, text)))
  return scores.map((score, index) => ({ index, score })).sort((a, b) => b.score - a.score)
}

async function ranking(body: Json): Promise<Json> {
  if (body.texts) return ranked(body.query, body.texts)
  const results = await ranked(body.query, body.documents)
  return {
    id: 'rerank-1',
    model: body.model,
    results: results.map(({ index, score }) => ({ index, relevance_score: score })),
    usage: { total_tokens: 1 },
  }
}

async function pineconeRanking(body: Json): Promise<Json> {
  const texts = body.documents.map((document: { text: string }) => document.text)
  return { model: body.model, data: await ranked(body.query, texts), usage: { rerank_units: 1 } }
}
