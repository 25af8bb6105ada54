import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openapi } from '../../../src/http/rest/openapi.ts'
import { routes, schema, shapes } from './fixture.ts'

const document = openapi(routes, { schema, shapes }, { version: '1.2.3', brand: 'svc' })

describe('the OpenAPI document', () => {
  it('has a path for every route', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } })
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    expect(operations).toHaveLength(routes.length)
    expect(new Set(operations.map((operation) => operation.operationId)).size).toBe(routes.length)
    expect(Object.keys(document.paths)).toContain('/v1/units:delete')
  })

  it('describes parameters, answers and errors of a read', () => {
    expect(document.paths['/v1/units/{id}']?.get).toMatchObject({
      operationId: 'get_units_id',
      description: 'Finds one Unit.',
      parameters: [
        { name: 'id', in: 'path', required: true },
        { name: 'X-Svc-After-Seq', in: 'header' },
        { name: 'after_seq', in: 'query' },
        { name: 'X-Svc-Scope', in: 'header' },
        { name: 'X-Svc-Namespace', in: 'header' },
        { name: 'scope', in: 'query' },
      ],
      responses: {
        200: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/UnitResponse' },
            },
          },
        },
        404: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
      },
    })
    expect(document.components.schemas).toMatchObject({
      UnitResponse: {
        type: 'object',
        description: 'One stored Unit.',
        properties: {
          unit_id: { type: 'string', description: 'Its id.' },
          modality: { anyOf: [{ type: 'string', enum: ['text', 'image_region'] }, { type: 'null' }] },
        },
        required: ['unit_id', 'modality', 'text'],
      },
    })
    expect(document.paths['/v1/units']?.get?.parameters).toEqual(
      expect.arrayContaining([
        { name: 'limit', in: 'query', required: false, schema: { type: 'integer', format: 'int32' } },
      ]),
    )
  })

  it('describes bodies in wire names', () => {
    expect(document.paths['/v1/ingest']?.post?.requestBody).toEqual({
      required: true,
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/IngestInput' },
          example: { units: expect.any(Array) },
        },
      },
    })
    expect(document.components.schemas).toMatchObject({
      IngestInput: {
        required: ['units'],
        properties: { units: { type: 'array', items: { $ref: '#/components/schemas/UnitInput' } } },
        additionalProperties: false,
      },
      UnitInput: {
        description: 'A piece of content.',
        properties: { t_start_ms: { type: 'integer', format: 'int64', description: 'When it starts.' } },
      },
      Selection: { minProperties: 1, maxProperties: 1 },
      CreateScopeInput: { required: ['scope'], properties: { read_only_agents: {} } },
    })
  })

  it('asks no credential of a public route', () => {
    expect(document.paths['/v1/health']?.get).toMatchObject({ security: [], parameters: [] })
    expect(document.paths['/v1/health']?.get?.responses).not.toHaveProperty('401')
  })

  it('is what generators can use', () => {
    const committed = JSON.parse(readFileSync('openapi.json', 'utf8'))
    expect(Object.keys(committed.components.schemas)).toEqual(
      expect.arrayContaining(['SearchResponse', 'AnswerResponse', 'Hit', 'Unit', 'Citation', 'IngestResult']),
    )
    expect(committed.components.schemas.UnitInput.properties).toMatchObject({
      vector: { type: 'array', items: { type: 'number' } },
      vector_base64: { type: 'string', contentEncoding: 'base64' },
    })
    const problems: string[] = []
    const look = (node: unknown, path: string): void => {
      if (typeof node !== 'object' || node === null || /\/examples?$/.test(path)) return
      const { format, uniqueItems, items, properties } = node as Record<string, object | undefined>
      const isNamed = /^\/components\/schemas\/\w+$/.test(path)
      if (`${format}` === 'byte') problems.push(`${path}: bytes`)
      if (uniqueItems && items && 'enum' in items) problems.push(`${path}: a set of words`)
      if (!isNamed && Object.keys(properties ?? {}).length > 2) problems.push(`${path}: an object without a name`)
      for (const [key, below] of Object.entries(node)) look(below, `${path}/${key}`)
    }
    look({ ...committed, info: undefined }, '')
    expect(problems).toEqual([])
  })
})
