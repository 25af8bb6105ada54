import assert from 'node:assert/strict'
import { Configuration, SearchApi, UnitsApi } from './client/index.ts'

const { SVC_URL: basePath = '', SVC_TOKEN: accessToken = '', SVC_SCOPE: xSvcScope = '' } = process.env
const configuration = new Configuration({ basePath, accessToken })
const units = new UnitsApi(configuration)
const search = new SearchApi(configuration)
const unit = { text: 'The keeper lights the lamp.', metadata: { year: 1907 } }
const written = await units.postIngest({ ingestInput: { units: [unit] }, xSvcScope })
const filters = { metadata: { year: { gte: 1900 } }, createdAfter: 1 }
const { hits } = await search.postSearch({ searchInput: { q: 'lamp keeper', filters }, xSvcScope })
const { answer } = await search.postAnswer({ searchInput: { q: 'Who lights the lamp?' }, xSvcScope })
const { units: listed } = await units.getUnits({ xSvcScope })
const id = written.units[0]?.unitId ?? ''
assert.deepEqual([hits[0]?.unitId, answer?.citations[0]?.unitId, listed[0]?.unitId], [id, id, id])
assert.equal(listed[0]?.metadata?.year, 1907)
const deleted = await units.postUnitsDelete({ deleteUnitsInput: { ids: [id], hard: true }, xSvcScope })
assert.equal(deleted.purged, 1)
