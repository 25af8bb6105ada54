import type { Need } from './expectations.ts'
import { area, type MatrixWorld, namespace, type Role } from './world.ts'

/** The required permission of a root field, and a request that is valid except, maybe, for its caller. */
export interface GraphqlRow {
  needs: Need
  field(world: MatrixWorld, role: Role): Promise<string>
}

const fixed = (needs: Need, field: string): GraphqlRow => ({ needs, field: async () => field })
const on = (needs: Need, field: GraphqlRow['field']): GraphqlRow => ({ needs, field })
const text = JSON.stringify

/** One row per root field: `Query.name`, `Mutation.name`. */
export const graphqlRows: Record<string, GraphqlRow> = {
  'Query.health': fixed('open', 'health { status }'),
  'Query.signInOptions': fixed('open', 'signInOptions { firstRun }'),
  'Query.context': fixed('authenticated', 'context { perms }'),
  'Query.viewer': fixed('authenticated', 'viewer { credential { kind } }'),
  'Query.scopes': fixed('authenticated', 'scopes { count }'),
  'Query.scope': fixed('authenticated', `scope(scope: ${text(area)}) { scope }`),
  'Query.search': fixed('read', 'search(input: { q: "matrix" }) { hiddenByAcl }'),
  'Query.embed': fixed('read', 'embed(texts: ["matrix"]) { dims }'),
  'Query.answer': fixed('read', 'answer(input: { q: "matrix" }) { hiddenByAcl }'),
  'Query.searchAs': fixed('admin principal', 'searchAs(principalId: "reader", input: { q: "matrix" }) { hiddenByAcl }'),
  'Query.unitsAs': fixed('admin principal', 'unitsAs(principalId: "reader") { hiddenByAcl }'),
  'Query.units': fixed('read', 'units { hiddenByAcl }'),
  'Query.unit': on('read', async ({ unit }) => `unit(unitId: ${text(await unit())}) { unitId }`),
  'Query.neighbours': on('read', async ({ unit }) => `neighbours(unitId: ${text(await unit())}) { before { unitId } }`),
  'Query.sourceLink': on(
    'read',
    async ({ unitOfSource }) => `sourceLink(unitId: ${text(await unitOfSource())}) { bytes }`,
  ),
  'Query.uploadOptions': fixed('authenticated', 'uploadOptions { maxBytes }'),
  'Query.catalogStats': fixed('authenticated', 'catalogStats { namespace }'),
  'Query.usageSeries': fixed('authenticated', 'usageSeries(from: 0, to: 1, step: day) { points { at } }'),
  'Query.compaction': fixed('read', 'compaction { namespace }'),
  'Query.namespaces': fixed('authenticated', 'namespaces { count }'),
  'Query.namespace': fixed('admin principal', `namespace(name: ${text(namespace)}) { namespace }`),
  'Query.grants': fixed('admin principal', 'grants { count }'),
  'Query.grant': on('admin principal', async ({ grant }) => `grant(id: ${text(await grant())}) { id }`),
  'Query.principals': fixed('admin principal', 'principals { count }'),
  'Query.principal': on(
    'admin principal',
    async ({ principal }) => `principal(id: ${text(await principal())}) { principalId }`,
  ),
  'Query.groups': fixed('admin principal', 'groups { count }'),
  'Query.groupMembers': fixed('admin principal', 'groupMembers(name: "crew") { count }'),
  'Query.invitations': fixed('admin principal', 'invitations { count }'),
  'Query.invitation': on(
    'open',
    async ({ invitation }) => `invitation(token: ${text((await invitation()).token)}) { scope }`,
  ),
  'Query.apiKeys': fixed('own record', 'apiKeys { count }'),
  'Query.agentConnections': fixed('person', 'agentConnections { id }'),
  'Query.explainAccess': fixed(
    'admin principal',
    `explainAccess(principalId: "reader", scope: ${text(area)}) { read { allowed } }`,
  ),
  'Query.billingPlans': fixed('open', 'billingPlans { configured }'),
  'Query.billingSubscription': fixed('authenticated', 'billingSubscription { tier }'),
  'Query.audit': fixed('read', 'audit { count }'),
  'Query.verifyAudit': fixed('authenticated', 'verifyAudit { intact }'),
  'Query.auditCheckpoint': fixed('authenticated', 'auditCheckpoint { size }'),
  'Query.auditProof': fixed('authenticated', 'auditProof(from: 1) { size }'),
  'Query.deletionReceipt': on(
    'read',
    async ({ deletion }) => `deletionReceipt(seq: ${await deletion()}) { stores { store } }`,
  ),

  'Query.document': on('read', async ({ document }) => `document(documentId: ${text(await document())}) { status }`),
  'Query.doc': on('read', async ({ docId }) => `doc(docId: ${text(await docId())}) { title }`),
  'Query.outline': on('read', async ({ docId }) => `outline(docId: ${text(await docId())}) { title }`),
  'Query.docs': fixed('read', 'docs { count }'),
  'Query.facets': fixed('read', 'facets(input: { fields: ["plane"] }) { count }'),
  'Query.documents': fixed('read', `documents(scope: ${text(area)}) { nextCursor }`),
  'Query.goldenQueries': fixed('admin principal', 'goldenQueries { count }'),
  'Query.synonyms': fixed('admin principal', 'synonyms { groups }'),
  'Query.evaluationRuns': fixed('admin principal', 'evaluationRuns { count }'),
  'Query.benchmarkReport': fixed('authenticated', 'benchmarkReport { generatedAt }'),

  'Mutation.createScope': on(
    'write',
    async ({ fresh }) => `createScope(input: { scope: ${text(`${area}/${fresh('new')}`)} }) { scope }`,
  ),
  'Mutation.updateScope': on(
    'admin',
    async ({ scope }) => `updateScope(scope: ${text(await scope())}, input: { readOnlyAgents: true }) { scope }`,
  ),
  'Mutation.deleteScope': on('admin', async ({ scope }) => `deleteScope(scope: ${text(await scope())}) { deleted }`),
  'Mutation.ingest': fixed('write', `ingest(input: { units: [{ text: "matrix", scope: ${text(area)} }] }) { seq }`),
  'Mutation.deleteUnits': on(
    'write',
    async ({ unit }) => `deleteUnits(input: { ids: [${text(await unit())}] }) { matched }`,
  ),
  'Mutation.updateUnit': on(
    'write',
    async ({ unit }) => `updateUnit(unitId: ${text(await unit())}, input: { metadata: { a: 1 } }) { seq }`,
  ),
  'Mutation.resetVectors': fixed('admin principal', 'resetVectors(plane: audio) { seq }'),
  'Mutation.updateReaders': on(
    'write',
    async ({ unit }) => `updateReaders(input: { ids: [${text(await unit())}], aclGroups: ["*"] }) { matched }`,
  ),
  'Mutation.restoreUnits': on('write', async ({ unit }) => `restoreUnits(ids: [${text(await unit())}]) { matched }`),
  'Query.source': on('write', async ({ source }, role) => `source(sourceUri: ${text(await source(role))}) { bytes }`),
  'Mutation.deleteSource': on(
    'write',
    async ({ source }, role) => `deleteSource(sourceUri: ${text(await source(role))}) { deleted }`,
  ),
  'Mutation.ingestDocument': on('write', async ({ source }, role) => {
    const input = `{ sourceUri: ${text(await source(role))}, name: "matrix.txt", scope: ${text(area)} }`
    return `ingestDocument(input: ${input}) { documentId }`
  }),
  'Mutation.retryDocuments': on(
    'write',
    async ({ document }) => `retryDocuments(documentIds: [${text(await document())}]) { documentId }`,
  ),
  'Mutation.deleteDocuments': on(
    'write',
    async ({ document }) => `deleteDocuments(documentIds: [${text(await document())}]) { matched }`,
  ),
  'Subscription.answer': fixed('read', 'answer(input: { q: "matrix" }) { __typename }'),
  'Subscription.documentChanges': on(
    'read',
    async ({ document }) => `documentChanges(documentIds: [${text(await document())}]) { status }`,
  ),
  'Mutation.createSource': fixed('write', 'createSource(input: { mime: "text/plain", data: "YQ==" }) { sourceUri }'),
  'Mutation.createUpload': fixed('write', 'createUpload(input: { bytes: 1 }) { expiresAt }'),
  'Mutation.exportAudit': fixed('admin principal', 'exportAudit { expiresAt }'),
  'Mutation.compact': fixed('admin principal', 'compact(input: { planes: [audio] }) { seq }'),
  'Mutation.createCheckout': fixed(
    'paying, without a provider',
    'createCheckout(input: { tier: pro, cadence: monthly }) { url }',
  ),
  'Mutation.createBillingPortal': fixed('paying, without a provider', 'createBillingPortal { url }'),
  'Mutation.receiveBillingEvent': fixed(
    'webhook signature, over GraphQL',
    'receiveBillingEvent(payload: "{}") { received }',
  ),
  'Mutation.reconcileBilling': fixed('cron secret, over GraphQL', 'reconcileBilling(secret: "wrong") { pages }'),
  'Mutation.seed': fixed('admin of demo', 'seed { scopes }'),
  'Mutation.createGoldenQueries': fixed(
    'admin principal',
    'createGoldenQueries(queries: [{ q: "matrix", expectedAnswers: ["yes"] }]) { created }',
  ),
  'Mutation.deleteGoldenQueries': fixed('admin principal', 'deleteGoldenQueries(ids: ["none"]) { deleted }'),
  'Mutation.evaluate': on('admin principal', async ({ goldenQuery }) => {
    await goldenQuery()
    return 'evaluate { run { id } }'
  }),
  'Mutation.publishReport': on(
    'admin principal',
    async ({ finishedRun }) => `publishReport(run: ${text(await finishedRun())}) { generatedAt }`,
  ),
  'Mutation.createNamespace': on(
    'authenticated',
    async ({ fresh }) => `createNamespace(input: { namespace: ${text(fresh('claimed'))} }) { namespace }`,
  ),
  'Mutation.setSynonyms': fixed('admin principal', 'setSynonyms(input: { groups: [["pier", "quay"]] }) { groups }'),
  'Mutation.updateNamespace': on(
    'admin principal',
    async (world) => `updateNamespace(input: { namespace: ${text(await world.namespace())} }) { hiddenCount }`,
  ),
  'Mutation.transferNamespace': on(
    'owner or super-admin',
    async (world) =>
      `transferNamespace(input: { namespace: ${text(await world.namespace())}, principalId: "admin" }) { owner }`,
  ),
  'Mutation.setTier': fixed(
    'owner or super-admin',
    `setTier(namespace: ${text(namespace)}, tier: enterprise) { namespace }`,
  ),
  'Mutation.grantAdmin': on('owner or super-admin', async (world) => {
    const email = await world.person()
    return `grantAdmin(email: ${text(email)}, namespace: ${text(namespace)}) { id }`
  }),
  'Mutation.deleteNamespace': on(
    'admin principal',
    async (world) => `deleteNamespace(name: ${text(await world.namespace())}) { deleted }`,
  ),
  'Mutation.createGrant': on(
    'admin principal',
    async ({ principal }) =>
      `createGrant(input: { principalId: ${text(await principal())}, scope: ${text(area)}, perms: [read] }) { id }`,
  ),
  'Mutation.deleteGrant': on(
    'admin principal',
    async ({ grant }) => `deleteGrant(id: ${text(await grant())}) { deleted }`,
  ),
  'Mutation.createPrincipal': fixed('admin principal', 'createPrincipal(input: { kind: agent }) { principalId }'),
  'Mutation.updatePrincipal': on(
    'admin principal',
    async ({ principal }) => `updatePrincipal(id: ${text(await principal())}, input: { name: "Ada" }) { name }`,
  ),
  'Mutation.deletePrincipal': on(
    'admin principal',
    async ({ principal }) => `deletePrincipal(id: ${text(await principal())}) { deleted }`,
  ),
  'Mutation.changeGroup': on(
    'admin principal',
    async ({ principal }) => `changeGroup(name: "crew", input: { remove: [${text(await principal())}] }) { name }`,
  ),
  'Mutation.renameGroup': on('admin principal', async ({ group, fresh }) => {
    const name = await group()
    return `renameGroup(name: ${text(name)}, newName: ${text(fresh('renamed'))}) { name }`
  }),
  'Mutation.createInvitation': fixed(
    'admin principal',
    `createInvitation(input: { scope: ${text(area)}, perms: [read] }) { url }`,
  ),
  'Mutation.revokeInvitation': on(
    'admin principal',
    async ({ invitation }) => `revokeInvitation(id: ${text((await invitation()).id)}) { revoked }`,
  ),
  'Mutation.acceptInvitation': on(
    'own record',
    async ({ invitation }) => `acceptInvitation(token: ${text((await invitation()).token)}) { id }`,
  ),
  'Mutation.createApiKey': on(
    'own record',
    async ({ fresh }) => `createApiKey(input: { name: ${text(fresh('key'))} }) { key { id } }`,
  ),
  'Mutation.revokeAgentConnection': fixed('person', 'revokeAgentConnection(id: "none") { id }'),
  'Mutation.revokeApiKey': on(
    'own record',
    async ({ key }, role) => `revokeApiKey(id: ${text(await key(role))}) { revoked }`,
  ),
}
