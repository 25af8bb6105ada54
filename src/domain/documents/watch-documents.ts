import { setTimeout as sleep } from 'node:timers/promises'
import canonicalize from 'canonicalize'
import type { Session } from '../../model/session.ts'
import { admit, keySessionOf } from '../access/gate.ts'
import type { Bindings } from '../bindings/bindings.ts'
import type { DocumentChangesInput } from './document-input.ts'
import type { DocumentView } from './read-documents.ts'
import { seeDocuments, within } from './read-documents.ts'

/** Tells watchers in this process that a document of a namespace has changed. Others find out by asking. */
export interface DocumentChanges {
  changed(namespaceId: string): void
  /** Calls the listener with each change; returns how to stop it. */
  listen(namespaceId: string, listener: () => void): () => void
}

export function createDocumentChanges(): DocumentChanges {
  const listeners = new Map<string, Set<() => void>>()
  return {
    changed: (namespaceId) => {
      for (const listener of listeners.get(namespaceId) ?? []) listener()
    },
    listen: (namespaceId, listener) => {
      const all = listeners.get(namespaceId) ?? new Set()
      listeners.set(namespaceId, all.add(listener))
      return () => {
        all.delete(listener)
        if (all.size === 0 && listeners.get(namespaceId) === all) listeners.delete(namespaceId)
      }
    },
  }
}

type Deps = Pick<Bindings, 'catalog' | 'clock'> & {
  superAdminToken: string | undefined
  changes: DocumentChanges
  stopping: AbortSignal
}

/** A document is sent at most once in this time. */
const intervalMs = 1_000

/** How often to look for changes that other processes made. */
const pollMs = 1_000

/** Documents read at a time. */
const pageSize = 500

/**
 * First each document that the caller sees, then each change of one that it sees. With ids it ends when all of them are
 * ready or failed; it also ends when the caller's key or its right to read does, and when the service stops. Errors:
 * 403 without `read`.
 */
export function watchDocuments(
  deps: Deps,
  session: Session,
  { documentIds, scope }: DocumentChangesInput,
): AsyncGenerator<DocumentView> {
  admit(within(session, scope), 'documentChanges')
  const left = new AbortController()
  const signal = AbortSignal.any([deps.stopping, left.signal])
  const documents = watch(deps, session, documentIds, scope, signal)
  const end = documents.return.bind(documents)
  // A generator that waits ends by itself only with its next document, and would look for one until then.
  documents.return = (value) => {
    left.abort()
    return end(value)
  }
  return documents
}

async function* watch(
  deps: Deps,
  session: Session,
  ids: readonly string[] | undefined,
  scope: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<DocumentView> {
  const { catalog, changes } = deps
  const { namespace } = session
  const sent = new Map<string, string>()
  let state = ''
  for (;;) {
    const present = await presentSession(deps, session, scope)
    if (!present) return
    const now = `${await catalog.documents.state(namespace.id)} ${rightsOf(present)}`
    if (now !== state) {
      state = now
      let done = ids !== undefined
      for await (const document of all(deps, present, ids)) {
        const digest = canonicalize(document) ?? ''
        done &&= document.status === 'ready' || document.status === 'failed'
        if (sent.get(document.documentId) === digest) continue
        sent.set(document.documentId, digest)
        yield document
      }
      if (done) return
    }
    const sentAt = performance.now()
    await nextChange(changes, namespace.id, signal)
    const early = intervalMs - (performance.now() - sentAt)
    if (early > 0) await sleep(early, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
  }
}

/** What decides what the session sees: a change of it is a change of what is to be sent. */
const rightsOf = ({ facts }: Session) =>
  JSON.stringify([facts.grants, facts.scopes, facts.caller.groups, facts.restrictions])

/** The same caller with its rights of now. Null if it may not read there any more. */
async function presentSession(deps: Deps, session: Session, scope: string | undefined): Promise<Session | null> {
  const { principalId, requestId, namespace, facts } = session
  const holder = { principalId, keyHash: facts.keyHash ?? null }
  const present = await keySessionOf(deps, holder, namespace.name, requestId)
  const bound = present?.with({ requestedScope: scope ?? facts.requestedScope })
  return bound?.mayUnder('read', bound.requestedScope) ? bound : null
}

async function* all(deps: Deps, session: Session, ids: readonly string[] | undefined): AsyncGenerator<DocumentView> {
  for (let cursor = 0; ; cursor += pageSize) {
    const page = await seeDocuments(deps, session, { ids }, { cursor, limit: pageSize })
    yield* page
    if (page.length < pageSize) return
  }
}

async function nextChange(changes: DocumentChanges, namespaceId: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const forget = changes.listen(namespaceId, resolve)
  const waiting = new AbortController()
  const late = sleep(pollMs, undefined, { signal: AbortSignal.any([signal, waiting.signal]) }).catch(() => {})
  await Promise.race([promise, late])
  waiting.abort()
  forget()
}
