import type { z } from 'zod'
import type { Permission } from '../model/registry.ts'
import type { Auth } from '../model/request-facts.ts'
import type { Tool } from './tool.ts'

/** What an operation touches beyond the caller's own planes, scopes and groups. */
export type Reach =
  /** Nothing: only Units that the caller can see, its own records, or what everyone in the namespace may know. */
  | 'clamped'
  /** A scope, in all planes and for all groups. */
  | 'scope'
  /** A scope and everything below it, in all planes and for all groups. */
  | 'subtree'
  /** Planes, for all groups. */
  | 'planes'
  /** What belongs to the namespace as a whole. */
  | 'namespace'
  /** What holds for all who use the namespace. */
  | 'settings'
  /** The namespace and everything in it. */
  | 'tenant'
  /** A principal; its groups must be among those of the caller. */
  | 'member'
  /** A grant: it opens a scope in all planes, for all groups of its holder. */
  | 'grant'
  /** Grants and principals that others created. */
  | 'access'
  /** The whole audit log. */
  | 'log'
  /** What the principal has and owns, permanently. */
  | 'account'
  /** Everything that the seed issues. */
  | 'seed'

/**
 * A permission on the scope that the operation names (by default the requested one), there or somewhere below, on the
 * whole namespace, or anywhere in it. Of several permissions, `anywhere` requires one and the others require all.
 */
export interface Need {
  perms: readonly Permission[]
  on: 'scope' | 'below' | 'namespace' | 'anywhere'
}

export const reads: Need = { perms: ['read'], on: 'scope' }
export const writes: Need = { perms: ['write'], on: 'scope' }
/** Writes touch what is writable. */
export const writesBelow: Need = { perms: ['write'], on: 'below' }
export const administersScope: Need = { perms: ['admin'], on: 'scope' }
export const administers: Need = { perms: ['admin'], on: 'namespace' }
export const seesLog: Need = { perms: ['read', 'admin'], on: 'anywhere' }
export const everything: Need = { perms: ['read', 'write', 'admin'], on: 'namespace' }

/**
 * An operation, as far as it is data. Its root field in `graphql/types` adds the type of the result and the resolver.
 * The service does not start with an operation without a root field, or the reverse.
 */
export interface Operation {
  kind: 'query' | 'mutation' | 'subscription'
  /** Its first sentence is the summary of the route. It does not repeat what the rules of the input say. */
  description: string
  /** Of the subscription that has the name of this query. */
  asSubscription?: string
  /** The rules of `input`, its only argument. */
  input?: z.ZodType
  /** The rules of all its arguments, if it has others. */
  args?: z.ZodType
  /** An explicit null means "not sent", unless it is kept. */
  nulls?: 'kept'
  /** Null where membership of the namespace is enough: such an operation need not call the access check. */
  needs: Need | null
  reach: Reach
  /** Whether it is open without a credential. It then does its own checks. */
  open?: 'public' | 'signed by others' | 'first run'
  /** It reads, and still answers with a new secret. Of a write, that is assumed. */
  makesSecret?: boolean
  /** It works on the log of a namespace, and so for the super-admin on that of a deleted one. */
  ofLog?: boolean
  /** What it costs at /graphql, if not as much as others of its kind; `graphql/server/cost.ts` adds what its input asks. */
  weight?: number
  rest?: Endpoint | readonly Endpoint[]
  tool?: Tool
}

/**
 * Where an argument comes from: `:id` is a parameter of the path, `?limit` one of the query, `body` the whole JSON body,
 * `raw` the body as text, `credential` the bearer token.
 */
export type ArgumentSource =
  | `:${string}`
  | `?${string}`
  | 'body'
  | 'raw'
  | 'credential'
  | { header: string; required: boolean; description: string }

/** An endpoint of REST: a call of the operation. */
export interface Endpoint {
  /** Literal segments and `:name` parameters: `GET /v1/units/:id`, `POST /v1/units:delete`. */
  route: `${'GET' | 'POST' | 'DELETE'} /v1/${string}`
  /**
   * The arguments that it takes: the contract does not grow with the schema. Default: `input` from the body, else the
   * parameters of the path under their names.
   */
  args?: Readonly<Record<string, ArgumentSource>>
  /**
   * What the answer shows of the result, in wire names and their order: `units { unit_id status } seq`. A name without
   * fields of its own, and the whole without this, shows what `shapes` says of its type.
   */
  answer?: string
  /** Default: `required`. */
  auth?: Auth
  /**
   * Default: `required` for POST, `none` otherwise. Without a body (`none`), arguments are parsed by their types. `raw`
   * is any bytes.
   */
  body?: 'none' | 'optional' | 'required' | 'raw'
  /** A body that it accepts, for openapi.json. A test sends it. */
  example?: object
  /** Refused for pages of other origins, with any credential. */
  ownOrigin?: boolean
  /** The answer has whole lists, not pages of them. */
  wholeLists?: boolean
  /** The answer is one thing: it has a tag, by which a caller asks whether it has changed. */
  tagged?: boolean
}
