import { z } from 'zod'
import { type Config, readConfig } from '../../config.ts'
import { type OperatorRequest, RefusedError } from '../../model/operator-error.ts'
import { tierNames } from '../../model/tiers.ts'
import type { OperatorAnswer } from '../../wiring/operate.ts'
import { holdsCatalog, withStopped } from '../../wiring/stopped.ts'
import { type Command, type Environment, flag, noSuchCommand, readWords, text, UsageError } from '../program/command.ts'
import { ask } from '../program/graphql.ts'
import { readAddress, readToken, type Service } from '../program/service.ts'

const isTier = (word: string) => tierNames.find((name) => name === word)

export const tier = commandOf('tier', ([namespace, word, ...others]) => {
  const named = word === undefined ? undefined : isTier(word)
  if (namespace === undefined) throw new UsageError('a NAMESPACE is needed; try --help')
  if (others.length > 0 || (word !== undefined && named === undefined))
    throw new UsageError(`a NAMESPACE is needed, and then at most one of ${tierNames.join(', ')}; try --help`)
  return { kind: 'tier', namespace, tier: named }
})

export const admin = commandOf('admin', ([verb, email, namespace = 'demo', ...others]) => {
  if (verb !== 'grant') throw noSuchCommand(verb, ['grant'])
  if (email === undefined || others.length > 0)
    throw new UsageError('grant takes an EMAIL, and at most a NAMESPACE; try --help')
  return { kind: 'admin', email: email.toLowerCase(), namespace }
})

function commandOf(name: string, read: (words: readonly string[]) => OperatorRequest): Command {
  return {
    name,
    run: async (args, env) => {
      const options = { url: text, 'token-file': text, 'data-dir': text, json: flag }
      const { values, positionals } = readWords(args, options)
      const request = read(positionals)
      const { url, 'token-file': tokenFile, 'data-dir': dataDir, json } = values
      const given = dataDir === undefined ? env : { ...env, DATA_DIR: dataDir }
      const answer = await answerTo(request, { url, tokenFile }, given)
      const shown = 'tier' in answer ? answer.tier : `${answer.principal_id} is an admin of ${answer.namespace}`
      console.log(json === true ? JSON.stringify(answer) : shown)
      return 0
    },
    codeOf: (error) => (error instanceof RefusedError ? 1 : 2),
  }
}

/**
 * Asks a running service at the address of the flag; at the one of the settings with a super-admin's token, or where there are no
 * data here; else at its data directory. Stopped data are opened here.
 */
async function answerTo(
  request: OperatorRequest,
  { url, tokenFile }: { url: string | undefined; tokenFile: string | undefined },
  env: Environment,
): Promise<OperatorAnswer> {
  const served = async () => {
    const token = await readToken(tokenFile, { SVC_TOKEN: env.SUPER_ADMIN_TOKEN || env.SVC_TOKEN })
    return askOver({ url: readAddress(url, env), token }, request)
  }
  if (url !== undefined) return served()
  const config = readConfig(env)
  const isSuperAdmin = tokenFile !== undefined || config.superAdminToken !== undefined
  const isElsewhere = config.catalog.kind === 'pglite' && !holdsCatalog(config.catalog.dataDir)
  const hasAddress = Boolean(env.SVC_URL)
  const isAsked = isElsewhere ? hasAddress || isSuperAdmin : hasAddress && isSuperAdmin
  return isAsked ? served() : onData(config, request)
}

async function onData(config: Config, request: OperatorRequest): Promise<OperatorAnswer> {
  const { askService } = await import('../../adapters/backup-fs/control-socket.ts')
  const served = config.catalog.kind === 'pglite' ? await askService(config.dataDir, request) : null
  // The same program answers.
  if (served) return served.answer as OperatorAnswer
  const { operate } = await import('../../wiring/operate.ts')
  return withStopped(config, (domain) => operate(domain, request))
}

const tiered = z.object({ namespace: z.string(), tier: z.enum(tierNames) })
const granted = z.object({
  id: z.string(),
  principalId: z.string(),
  namespace: z.string(),
  scope: z.string(),
  perms: z.array(z.string()),
})

async function askOver(service: Service, request: OperatorRequest): Promise<OperatorAnswer> {
  if (request.kind === 'admin') {
    const { principalId: principal_id, ...grant } = await ask(
      service,
      z.object({ grantAdmin: granted }).transform(({ grantAdmin }) => grantAdmin),
      `mutation ($email: String!, $namespace: String!) {
        grantAdmin(email: $email, namespace: $namespace) { id principalId namespace scope perms } }`,
      request,
    )
    return { ...grant, principal_id }
  }
  const { namespace, tier } = request
  const [query, variables] =
    tier === undefined
      ? ['query ($namespace: String!) { answer: namespace(name: $namespace) { namespace tier } }', { namespace }]
      : [
          `mutation ($namespace: String!, $tier: Tier!) {
            answer: setTier(namespace: $namespace, tier: $tier) { namespace tier } }`,
          { namespace, tier },
        ]
  return (await ask(service, z.object({ answer: tiered }), query, variables)).answer
}
