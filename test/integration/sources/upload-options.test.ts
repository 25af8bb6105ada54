import { afterAll, beforeAll, expect, it } from 'vitest'
import { boot, type TestApp } from '../../support/boot.ts'

let app: TestApp
beforeAll(async () => {
  app = await boot({ config: { maxSourceBytes: 2_048 } })
})
afterAll(() => app.close())

it('tells what can be uploaded, as the service itself decides', async () => {
  const token = await app.principal({ id: 'loader', namespace: 'quay', grants: [{ scope: '*', perms: ['write'] }] })
  const query = '{ uploadOptions { maxBytes formats { name extensions } } }'
  const { maxBytes, formats } = (await app.graphql(query, {}, { token })).body.data.uploadOptions
  expect(formats).toContainEqual({ name: 'a PDF document', extensions: ['pdf'] })
  const make = async (bytes: number) => {
    const upload = `mutation { createUpload(input: { bytes: ${bytes} }) { expiresAt } }`
    return (await app.graphql(upload, {}, { token, scope: '*' })).body
  }
  expect((await make(maxBytes)).errors).toBeUndefined()
  expect((await make(maxBytes + 1)).errors[0].message).toBe('bytes: must be at most 2048')
})
