import { z } from 'zod'
import { sourceInput, sourceLinkInput, sourceUriInput, uploadInput } from '../domain/sources/source-input.ts'
import { deleteInput } from '../domain/units/delete-input.ts'
import {
  ingestInput,
  neighboursInput,
  readersInput,
  restoreInput,
  unitIdInput,
  unitsInput,
  unitUpdate,
} from '../domain/units/unit-input.ts'
import { unitsAsInput } from '../domain/view-as/view-as-input.ts'
import {
  administers,
  anything,
  key,
  label,
  namedUnit,
  notice,
  type Operation,
  place,
  reads,
  scope,
  text,
  unitFacts,
  writesBelow,
} from './operation.ts'

const unitAddress = text(256).describe("A Unit's id, or the address of its resource.")
const aside = z.int('must be an integer').min(0, 'must not be negative').max(20, 'must be at most 20').default(2)

export const units = {
  units: {
    kind: 'query',
    description: 'Lists Units in ingest order. Needs `read`.',
    args: unitsInput,
    needs: reads,
    reach: 'clamped',
    rest: {
      route: 'GET /v1/units',
      args: {
        limit: '?limit',
        cursor: '?cursor',
        filters: { query: ['doc_id', 'external_id', 'source_uri', 'modality', 'plane', 'mime'] },
      },
      answer: 'units hidden_by_acl context next_cursor',
    },
  },
  unit: {
    kind: 'query',
    description: 'One Unit; a hidden one is not found, like an unknown id. Needs `read`.',
    args: unitIdInput,
    needs: reads,
    reach: 'clamped',
    rest: { route: 'GET /v1/units/:id', args: { unitId: ':id' }, tagged: true },
    tool: {
      name: 'fetch',
      title: 'Fetch',
      description: `Returns one Unit with its text. ${notice}`,
      input: z.strictObject({
        id: unitAddress,
        offset: place('Where in the text to begin: the `next_offset` of a text that was cut.', 2 ** 20),
      }),
      output: namedUnit.extend({ metadata: anything, notice: z.string() }),
      answer: unitFacts,
      args: { unitId: 'id' },
    },
  },
  neighbours: {
    kind: 'query',
    description:
      'The Units before and after a Unit in its document, of the same plane, that the caller may read. A hidden Unit is not found, like an unknown id. Needs `read`.',
    args: neighboursInput,
    needs: reads,
    reach: 'clamped',
    tool: {
      name: 'neighbours',
      title: 'Neighbours',
      description: `Returns the Units before and after a Unit in its document, in the order of the text. ${notice}`,
      input: z.strictObject({ id: unitAddress, before: aside, after: aside }),
      output: z.object({ before: z.array(namedUnit), after: z.array(namedUnit), notice: z.string() }),
      answer: `before { ${unitFacts} } after { ${unitFacts} }`,
      args: { unitId: 'id', before: 'before', after: 'after' },
    },
  },
  unitsAs: {
    kind: 'query',
    description:
      'The Units that both a principal and the caller may read, in ingest order. Audited as `access.view_as`. Needs an admin principal.',
    args: unitsAsInput,
    needs: administers,
    reach: 'clamped',
  },
  ingest: {
    kind: 'mutation',
    description: 'Writes a batch of Units, durable before the answer. Needs `write`.',
    input: ingestInput.describe('The batch.'),
    needs: writesBelow,
    reach: 'clamped',
    rest: {
      route: 'POST /v1/ingest',
      example: {
        units: [
          {
            scope: 'harbour',
            text: 'The lighthouse keeper lights the lamp at dusk.',
            external_id: 'log-1',
            doc_id: 'log',
            acl_groups: ['*'],
            metadata: { year: 1907 },
          },
        ],
      },
    },
    tool: {
      name: 'ingest_text',
      title: 'Ingest text',
      description: 'Writes one Unit of text. The same external_id again replaces it.',
      input: z.strictObject({
        text: text(2 ** 20),
        title: text(1024).optional(),
        external_id: label.optional(),
        doc_id: label.optional(),
        scope: scope.optional(),
        acl_groups: z.array(label).max(64, 'must hold at most 64 items').optional(),
        metadata: z.record(z.string(), z.unknown(), 'must be an object').optional(),
        source_uri: text(2048).optional(),
        idempotency_key: key,
      }),
      output: z.object({ units: z.array(anything), counts: anything, seq: z.number(), indexed: z.boolean() }),
    },
  },
  deleteUnits: {
    kind: 'mutation',
    description: 'Deletes readable Units in writable scopes. Needs `write`.',
    input: deleteInput.describe('What to delete.'),
    needs: writesBelow,
    reach: 'clamped',
    rest: { route: 'POST /v1/units:delete', example: { filter: { doc_id: 'log' } } },
    tool: {
      name: 'delete_units',
      title: 'Delete Units',
      description: 'Deletes Units by id. Unknown and hidden ones are ignored.',
      input: z.strictObject({
        ids: z.array(label, 'must be a list').min(1, 'must not be empty').max(100, 'must hold at most 100 items'),
        hard: z.boolean('must be true or false').default(false),
        scope: scope.optional(),
        idempotency_key: key,
      }),
      output: z.object({
        matched: z.number(),
        tombstoned: z.number(),
        purged: z.number(),
        sources_purged: z.number(),
        seq: z.number(),
      }),
      isDestructive: true,
    },
  },
  updateUnit: {
    kind: 'mutation',
    description:
      'Changes access, metadata or title of a readable Unit in a writable scope. Its embedding stays. Other Units are not found. Needs `write`.',
    args: unitUpdate,
    needs: writesBelow,
    reach: 'clamped',
  },
  updateReaders: {
    kind: 'mutation',
    description:
      'Changes owner and readers of up to 100,000 readable Units in writable scopes, all or none. The caller owns them or is an admin principal; others are not counted. Needs `write`.',
    input: readersInput.describe('Which Units, and who may read them.'),
    needs: writesBelow,
    reach: 'clamped',
  },
  restoreUnits: {
    kind: 'mutation',
    description:
      'Restores deleted Units that were not purged: readable ones in writable scopes. After an error, none is restored. Needs `write`.',
    args: restoreInput,
    needs: writesBelow,
    reach: 'clamped',
  },
  createSource: {
    kind: 'mutation',
    description:
      'Stores a raw source for the namespace. It is purged with the last Unit that points at it. Needs `write`.',
    input: sourceInput.describe('The source.'),
    needs: writesBelow,
    reach: 'clamped',
  },
  uploadOptions: {
    kind: 'query',
    description: 'What can be uploaded and read: formats, and how large a file may be.',
    needs: null,
    reach: 'clamped',
  },
  createUpload: {
    kind: 'mutation',
    description:
      'Makes a link that takes the bytes of a source. A source that no Unit names is removed after 24 hours. Needs `write`.',
    input: uploadInput.describe('The source.'),
    needs: writesBelow,
    reach: 'clamped',
  },
  source: {
    kind: 'query',
    description: 'A source that the caller uploaded. Others are not found. Needs `write`.',
    args: sourceUriInput,
    needs: writesBelow,
    reach: 'clamped',
  },
  deleteSource: {
    kind: 'mutation',
    description:
      'Removes a source that the caller uploaded. False, and it stays, while a Unit or document names it. Needs `write`.',
    args: sourceUriInput,
    needs: writesBelow,
    reach: 'clamped',
  },
  sourceLink: {
    kind: 'query',
    description:
      'Makes a link to the source of a Unit. It is 404 for a Unit that is unknown, hidden or without a kept source, and for a rendition that does not exist.',
    args: sourceLinkInput,
    needs: reads,
    reach: 'clamped',
    makesSecret: true,
  },
} satisfies Record<string, Operation>
