import { type Case, graphql } from './case.ts'

export const graphqlCases: Case[] = [
  [
    'proofs in the pro tier',
    graphql('pro', '{ auditCheckpoint { size } }'),
    'upgrade_required',
    /proofs.*enterprise.*pro/,
  ],
  [
    'a persisted document that does not exist',
    { who: 'owner', method: 'POST', path: '/graphql', options: { body: { documentId: 'sha256:00' } } },
    'persisted_query_not_found',
    /document.*manifest/,
  ],
  ['a scope that does not exist', graphql('owner', '{ scope(scope: "none") { scope } }'), 'not_found', /scope/],
  [
    'a key that does not exist',
    graphql('owner', 'mutation { revokeApiKey(id: "none") { revoked } }'),
    'not_found',
    /key/,
  ],
  [
    'an audit row that does not exist',
    graphql('owner', '{ auditProof(seq: 9999) { size } }'),
    'not_found',
    /audit row.*seq/,
  ],
  [
    'more rows than there are',
    graphql('owner', '{ auditProof(from: 9999) { size } }'),
    'not_found',
    /from .*at most \d+/,
  ],
  [
    'a checkpoint never signed',
    graphql('owner', '{ auditCheckpoint(size: 9999) { size } }'),
    'not_found',
    /checkpoint.*size/,
  ],
  [
    'a deletion that does not exist',
    graphql('owner', '{ deletionReceipt(seq: 9999) { seq } }'),
    'not_found',
    /deletion.*seq/,
  ],
  ['neither seq nor from', graphql('owner', '{ auditProof { size } }'), 'bad_request', /seq and from/],
  [
    'no change',
    graphql('owner', 'mutation { updateUnit(unitId: "OLD", input: {}) { unit { unitId } } }'),
    'bad_request',
    /field/,
  ],
  [
    'an old version',
    graphql(
      'owner',
      'mutation { updateUnit(unitId: "OLD", input: { version: 0, aclGroups: [] }) { unit { unitId } } }',
    ),
    'bad_request',
    /^version: /,
  ],
  [
    'a scope that exists',
    graphql('owner', 'mutation { createScope(input: { scope: "a" }) { scope } }'),
    'bad_request',
    /^scope: /,
  ],
  [
    'a parent that is not above',
    graphql('owner', 'mutation { updateScope(scope: "a", input: { parent: "b" }) { scope } }'),
    'bad_request',
    /^parent: /,
  ],
  [
    'a key that is over',
    graphql('owner', 'mutation { createApiKey(input: { name: "k", expiresAt: 1 }) { token } }'),
    'bad_request',
    /^expiresAt: .*future/,
  ],
  [
    'a bad key name',
    graphql('owner', 'mutation { createApiKey(input: { name: "a b" }) { token } }'),
    'bad_request',
    /^name: .*1-32/,
  ],
  [
    'a key of the super-admin',
    graphql('superAdmin', 'mutation { createApiKey(input: { name: "k" }) { token } }'),
    'forbidden',
    /super-admin.*principal/,
  ],
  [
    'an evaluation of nothing',
    graphql('owner', 'mutation { evaluate { run { id } } }'),
    'bad_request',
    /golden queries/,
  ],
  [
    'a run that does not exist',
    graphql('owner', 'mutation { evaluate(run: "none") { run { id } } }'),
    'not_found',
    /run/,
  ],
  [
    'a repeated golden query',
    graphql(
      'owner',
      'mutation { createGoldenQueries(queries: [{ q: "x", expectedUnitIds: ["u"] }, { q: "x", expectedUnitIds: ["u"] }]) { created } }',
    ),
    'bad_request',
    /^queries\[1\]\.q: /,
  ],
  [
    'a long query',
    graphql('owner', `{ health { status } } #${'x'.repeat(2 ** 21)}`),
    'bad_request',
    /query.*2097152 characters/,
  ],
  [
    'a query with many fields',
    graphql('owner', `{ ${'__typename '.repeat(501)} }`),
    'bad_request',
    /query.*500 fields/,
  ],
  [
    'a query of the schema with aliases',
    graphql('owner', `{ ${[...Array(6).keys()].map((i) => `a${i}: __schema { __typename }`).join(' ')} }`),
    'bad_request',
    /query.*5 aliases/,
  ],
  [
    'a query with aliases',
    graphql('owner', `{ ${[...Array(31).keys()].map((i) => `a${i}: __typename`).join(' ')} }`),
    'bad_request',
    /query.*30 aliases/,
  ],
  ['a fragment in itself', graphql('owner', '{ ...F } fragment F on Query { ...F }'), 'bad_request', /fragment/],
]
