import { describeSettings } from '../src/config.ts'

type Setting = ReturnType<typeof describeSettings>[number]

/** Groups of settings, by the prefix of their names; the first matching group gets the setting. */
const groups: readonly (readonly [title: string, names: RegExp])[] = [
  [
    'Server',
    /^(HOST|PORT|DATA_DIR|BRAND|ALLOWED_ORIGINS|PUBLIC_URL|SUPER_ADMIN|SEED|INGEST|MAX_SOURCE|DRAIN|METRICS|LOG)/,
  ],
  ['Catalog and stores', /^(DATABASE|MIGRATION|CATALOG|REDIS|S3)_/],
  ['Indexes', /^(INDEX|VECTOR_INDEX|TEXT_INDEX|MEILI|PINECONE_(INDEX|CLOUD|REGION))/],
  ['Models', /^(INFERENCE|EMBED|FORMER|CHAT|RERANK|NLI|MODELS|ONNX|PINECONE)/],
  ['Sign-in', /^(AUTH|SIGN|OIDC|MAIL|TRUSTED_PROXIES)/],
  ['Payments', /^(STRIPE|CRON|BILLING)/],
  ['Audit log', /^AUDIT/],
  ['Traces', /^OTEL/],
  ['Further settings', /^/],
]

/** The settings under their headings, in the order of config.ts. */
function grouped(): { title: string; settings: Setting[] }[] {
  const all = describeSettings()
  const titleOf = ({ name }: Setting) => groups.find(([, names]) => names.test(name))?.[0]
  return groups
    .map(([title]) => ({ title, settings: all.filter((setting) => titleOf(setting) === title) }))
    .filter(({ settings }) => settings.length > 0)
}

/** `.env.example` */
export function envExample(): string {
  const sections = grouped().map(({ title, settings }) => {
    const lines = settings.map((s) => `# ${s.description}.\n#${s.name}=${s.default ?? ''}\n`)
    return [`### ${title}\n`, ...lines].join('\n')
  })
  return ['# Every setting is optional.\n', ...sections].join('\n')
}

/** `deploy/ENVIRONMENT.md` */
export function environmentReference(): string {
  const sections = grouped().map(({ title, settings }) => {
    const rows = settings.map((s) => `| \`${s.name}\` | ${s.description.replaceAll('|', '\\|')} | ${s.default ?? ''} |`)
    return `## ${title}\n\n${['| variable | what it does | default |', '|---|---|---|', ...rows].join('\n')}\n`
  })
  const head = `# Settings

Environment variables. All are optional, and an empty one counts as absent. All configuration errors are reported at startup.
\`npm run schema\` writes this page from \`src/config.ts\`.
`
  return [head, ...sections].join('\n')
}
