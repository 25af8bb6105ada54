import { avoidedWordsIn } from './plain-words.ts'

/** A field, as REST or GraphQL spells its path, before what is wrong with it. */
const field = /^[A-Za-z_[][\w.[\]…]*: |one of [a-zA-Z_]+(?:, \w+)* and \w+/

const resources = [
  'admin principal',
  'address',
  'agent',
  'answers?',
  'API key',
  'audit log',
  'audit row',
  'batch',
  'body',
  'checkpoint',
  'data directory',
  'deletion',
  'disk',
  'document',
  'event',
  'export',
  'fragment',
  'golden queries',
  'grants?',
  'field',
  'headers?',
  'homes?',
  'key',
  'method',
  'namespaces?',
  'operation',
  'owner',
  'mail server',
  'payment provider',
  'permission',
  'planes?',
  'principal',
  'quer(?:y|ies)',
  'request',
  'route',
  'run',
  'scopes?',
  'secret',
  'seed(?:ing|ed)',
  'signature',
  'source',
  'source store',
  'tool',
  'subscription',
  'tier',
  'token',
  'Units?',
  'versions?',
]
const resource = new RegExp(`\\b(?:${resources.join('|')})\\b`)

/** What would be right: a rule, a limit, the allowed values, or what to do. */
const remedies = [
  'must',
  'may only',
  'at most',
  'at least',
  'only',
  'is allowed',
  'requires?',
  'required',
  'enables?',
  'cannot .*: make',
  'cannot be restored',
  'change (?:it|the)',
  'choose',
  'create some',
  'leave it out',
  'lists',
  'request (?:another|less)',
  'restore only',
  'revoke one',
  'send',
  'sign the',
  'start with',
  'try again',
  'use',
]
const remedy = new RegExp(`\\b(?:${remedies.join('|')})\\b`)

const jargon =
  /\b(?:undefined|null is|NaN|Zod\w*|Prisma\w*|SQL\w*|E[A-Z]{5,}|\w+Error|expected \w+ to|received \w+)\b|\[object/

/** What is wrong with the text of an error: it must name its subject, and say what would be right, in plain words. */
export function problemsOfDetail(detail: string): string[] {
  const said = detail.replace(field, '')
  return [
    ...(field.test(detail) || resource.test(detail) ? [] : ['names neither a field nor a resource']),
    ...(remedy.test(said) ? [] : ['does not say what would be right']),
    ...(/^[a-z]|^API\b|^\d/.test(said) ? [] : ['does not begin in lower case']),
    ...(/[.!\s]$/.test(detail) ? ['ends in punctuation'] : []),
    ...(jargon.test(said) ? ['speaks of the implementation'] : []),
    ...(detail.length > 400 ? ['is too long'] : []),
    ...avoidedWordsIn(detail),
  ].map((problem) => `${detail}: ${problem}`)
}
