import type { Session } from '../../model/session.ts'
import { createBackgroundWork } from '../background/background.ts'
import type { Bindings, DomainSettings } from '../bindings/bindings.ts'
import { heavy, type Turns } from '../turns/turns.ts'
import { createSource } from './create-source.ts'
import { purgeSources, removeUnnamed } from './purge-sources.ts'
import type { SourceInput, SourceLinkInput, UploadInput } from './source-input.ts'
import { createSourceLink, openLink } from './source-links.ts'
import { createUpload, createUploadReceiver } from './uploads.ts'

type Deps = Bindings & DomainSettings & { turns: Turns }

export const createSources = (deps: Deps) => ({
  // Separate, so that a store that hangs does not block anything else.
  purging: createBackgroundWork([removeUnnamed(deps), purgeSources(deps)], deps.log),
  /** Stores what an upload link takes; null for an invalid link. */
  receiveUpload: createUploadReceiver(deps),
  /** Opens the source that a link leads to; null for an invalid one. */
  openSource: (secret: string, requestId: string) => openLink(deps, secret, requestId),
  servicesFor: (session: Session) => ({
    createSource: (input: SourceInput) => deps.turns.writing(session, heavy, () => createSource(deps, session, input)),
    createUpload: (input: UploadInput) => createUpload(deps, session, input),
    sourceLink: (input: SourceLinkInput) =>
      deps.turns.reading(session, heavy, () => createSourceLink(deps, session, input)),
  }),
})
