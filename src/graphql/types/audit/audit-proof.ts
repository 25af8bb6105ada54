import { checkpointInput, proofInput, receiptInput } from '../../../domain/audit/audit-input.ts'
import type { DeletionReceipt, StoreErasure } from '../../../domain/audit/deletion-receipt.ts'
import type { CheckpointView, ProofView } from '../../../domain/audit/prove.ts'
import { builder, checked } from '../../builder/builder.ts'
import { servicesOf } from '../../builder/context.ts'
import { AuditRowRef } from './audit.ts'

const CheckpointRef = builder.objectRef<CheckpointView>('AuditCheckpoint').implement({
  description:
    'The signed head of an audit log: so many rows, under one Merkle root (RFC 6962, a leaf is the canonical JSON of a row without its two hashes). Keep it, and no row that it covers can be changed or cut off unnoticed.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    origin: t.exposeString('origin', { description: 'Which log it is, as the note says; the name of the key too.' }),
    size: t.expose('size', { type: 'SafeInt', description: 'Rows that it covers.' }),
    rootHash: t.exposeString('rootHash', { description: 'The Merkle root over them, in base64.' }),
    time: t.expose('time', { type: 'SafeInt', description: 'When it was signed: epoch milliseconds.' }),
    note: t.exposeString('note', { description: 'The checkpoint as a signed note: c2sp.org/tlog-checkpoint.' }),
    verifierKey: t.exposeString('verifierKey', {
      description:
        'The public key that it is signed with, as c2sp.org/signed-note writes one. Get it once, and keep it.',
    }),
  }),
})

const ProofRef = builder.objectRef<ProofView>('AuditProof').implement({
  description: 'A proof of RFC 6962: that a row is in a log, or that a log continues what it was before.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    seq: t.expose('seq', {
      type: 'SafeInt',
      nullable: true,
      description: 'The row that is in the tree, as leaf `seq` - 1; null in a consistency proof.',
    }),
    leafHash: t.exposeString('leafHash', { nullable: true, description: 'Its hash in the tree, in base64.' }),
    from: t.expose('from', {
      type: 'SafeInt',
      nullable: true,
      description: 'The rows that are continued; null in an inclusion proof.',
    }),
    size: t.expose('size', { type: 'SafeInt', description: 'Rows in the tree of the checkpoint.' }),
    hashes: t.exposeStringList('hashes', { description: 'The proof: hashes in base64, in the order of RFC 6962.' }),
    checkpoint: t.expose('checkpoint', { type: CheckpointRef, description: 'What the proof leads to.' }),
  }),
})

const StoreErasureRef = builder.objectRef<StoreErasure>('StoreErasure').implement({
  description: 'What a hard delete has come to in one store.',
  fields: (t) => ({
    store: t.exposeString('store', {
      description: '`catalog`, `vector_index`, `text_index`, or `object_store` (which holds uploaded sources).',
    }),
    engine: t.exposeString('engine', { description: 'What serves it, as health names it.' }),
    erased: t.expose('erased', { type: 'SafeInt', description: 'Units, or sources, that are gone from it.' }),
    remaining: t.expose('remaining', { type: 'SafeInt', description: 'Those that still have to go.' }),
  }),
})

const ProvenRowRef = builder.objectRef<DeletionReceipt['rows'][number]>('ProvenAuditRow').implement({
  description: 'A row of an audit log, and the proof that it is there.',
  fields: (t) => ({
    row: t.expose('row', { type: AuditRowRef, description: 'The row.' }),
    proof: t.expose('proof', { type: ProofRef, description: 'Its inclusion.' }),
  }),
})

const DeletionReceiptRef = builder.objectRef<DeletionReceipt>('DeletionReceipt').implement({
  description: 'A hard delete that can be shown to others.',
  fields: (t) => ({
    namespace: t.exposeString('namespace', { description: 'The namespace.' }),
    seq: t.expose('seq', { type: 'SafeInt', description: 'What the deletion answered with.' }),
    rows: t.expose('rows', {
      type: [ProvenRowRef],
      description: 'What is recorded of it: a row for each 1,000 Units.',
    }),
    stores: t.expose('stores', { type: [StoreErasureRef], description: 'What has gone from where, as of now.' }),
  }),
})

const seq = (description: string, required = false) => ({ type: 'SafeInt', required, description }) as const

builder.queryFields((t) => ({
  auditCheckpoint: t.field({
    type: CheckpointRef,
    description: "The signed head of the namespace's audit log as it stands. Enterprise.",
    args: { size: t.arg(seq('An earlier one of that many rows, instead.')) },
    ...checked(checkpointInput, (args, context) => servicesOf(context).audit.checkpoint(args)),
  }),
  auditProof: t.field({
    type: ProofRef,
    description:
      'Proves that a row that the caller may see is in the audit log (`seq`), or that the log continues its first rows unchanged (`from`): give exactly one. Enterprise.',
    args: {
      seq: t.arg(seq('The row to prove.')),
      from: t.arg(seq('How many rows were there before.')),
      size: t.arg(seq('The size of the checkpoint to lead to; the log as it stands when left out.')),
    },
    ...checked(proofInput, (args, context) => servicesOf(context).audit.proof(args)),
  }),
  deletionReceipt: t.field({
    type: DeletionReceiptRef,
    description:
      'What a hard delete can be shown by: its audit rows, their proofs, what has gone from where. Enterprise.',
    args: { seq: t.arg(seq('The `seq` that the deletion answered with.', true)) },
    ...checked(receiptInput, ({ seq }, context) => servicesOf(context).audit.deletion(seq)),
  }),
}))
