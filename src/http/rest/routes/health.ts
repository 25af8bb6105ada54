import { route } from '../route.ts'
import { contextFields } from './selections.ts'

export const getHealth = route(
  'GET',
  '/v1/health',
  /* GraphQL */ `query {
    body: health {
      status
      service
      version
      time
      bindings {
        catalog
        vector_index: vectorIndex
        object_store: objectStore
        key_value: keyValue
        inference
      }
    }
  }`,
  undefined,
  { auth: 'none' },
)

export const getContext = route('GET', '/v1/context', /* GraphQL */ `query { body: context { ${contextFields} } }`)
