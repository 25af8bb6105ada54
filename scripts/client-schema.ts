/** Prints openapi.json with the operations that the clients take from GraphQL: their types are generated from it. */
import { readFileSync } from 'node:fs'
import { clientOperations } from './client-operations.ts'

const openapi = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'))
process.stdout.write(JSON.stringify(clientOperations(openapi).openapi))
