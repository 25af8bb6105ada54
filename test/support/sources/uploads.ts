import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { CallOptions, Reply, TestApp } from '../boot.ts'

export const sha256 = (bytes: string | Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Uploads and links of an app. */
export function sourcesOf(app: TestApp) {
  const createUpload = (input: object, options: CallOptions) =>
    app.graphql(
      'mutation ($input: CreateUploadInput!) { createUpload(input: $input) { url expiresAt } }',
      { input },
      options,
    )

  /** Makes a link; throws if that fails. */
  const uploadUrl = async (input: object, options: CallOptions): Promise<string> => {
    const { body } = await createUpload(input, options)
    if (body.errors) throw new Error(JSON.stringify(body.errors))
    return body.data.createUpload.url
  }

  const send = async (method: string, url: string, body: BodyInit | null, headers: Record<string, string> = {}) => {
    const streamed = body instanceof ReadableStream ? { duplex: 'half' as const } : {}
    const request = new Request(`http://localhost${url}`, { method, body, headers, ...streamed })
    const response = await app.app.fetch(request)
    const bytes = Buffer.from(await response.arrayBuffer())
    const isJson = bytes.length > 0 && response.status >= 400
    return { status: response.status, headers: response.headers, bytes, body: isJson ? JSON.parse(`${bytes}`) : null }
  }

  const put = async (url: string, body: BodyInit, headers?: Record<string, string>) => {
    const reply = await send('PUT', url, body, headers)
    return { status: reply.status, headers: reply.headers, body: JSON.parse(`${reply.bytes}`) }
  }

  const sourceLink = (variables: object, options: CallOptions): Promise<Reply> =>
    app.graphql(
      `query ($unitId: String!, $rendition: SourceRendition) {
        sourceLink(unitId: $unitId, rendition: $rendition) { url expiresAt mime bytes sha256 name inline }
      }`,
      { ...variables },
      options,
    )

  return {
    createUpload,
    uploadUrl,
    send,
    put,
    sourceLink,
    /** Uploads bytes; returns the URI. */
    upload: async (bytes: string | Uint8Array, options: CallOptions, facts: object = {}): Promise<string> => {
      const buffer = Buffer.from(bytes)
      const { status, body } = await put(await uploadUrl({ bytes: buffer.length, ...facts }, options), buffer)
      expect(status, JSON.stringify(body)).toBe(200)
      return body.source_uri
    },
    /** Ingests a Unit; returns its id. */
    unit: async (unit: object, options: CallOptions): Promise<string> => {
      const { status, body } = await app.call('POST', '/v1/ingest', {
        scope: 'shelf',
        ...options,
        body: { units: [unit] },
      })
      expect(status, JSON.stringify(body)).toBe(200)
      return body.units[0].unit_id
    },
    /** The path of a link; throws if there is none. */
    link: async (unitId: string, options: CallOptions, rendition?: string): Promise<string> => {
      const { body } = await sourceLink({ unitId, rendition }, options)
      if (body.errors) throw new Error(JSON.stringify(body.errors))
      return body.data.sourceLink.url
    },
  }
}
