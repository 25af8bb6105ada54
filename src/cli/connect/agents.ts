import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../program/command.ts'

/** Where the agents of a user keep their configuration. */
export interface Places {
  home: string
  /** Of the project. */
  directory: string
  platform: NodeJS.Platform
  env: Environment
}

export const placesOf = (env: Environment): Places => ({
  home: env.HOME || env.USERPROFILE || homedir(),
  directory: process.cwd(),
  platform: process.platform,
  env,
})

/** How a service is entered. `token` is the name of a variable of the environment; null where a person consents. */
export interface Entry {
  url: string
  token: string | null
}

/** A kind of agent. Its documentation says where it keeps what, and how a key stays out of the file. */
export interface Agent {
  title: string
  /** The file of the user, or of the project. */
  fileOf(places: Places, isOfProject: boolean): string
  format: Format
  /** What to do next. */
  next(entry: Entry): string
}

/** A question that the agent asks. */
interface Input {
  id: string
  type: string
  description: string
  password: boolean
}

/** What is written under a name. */
export type Format =
  | { kind: 'json'; servers: string; entryOf(entry: Entry, name: string): object; inputsOf?(name: string): Input[] }
  | { kind: 'toml'; table: string; linesOf(entry: Entry): string[] }

const bearer = (value: string | null) => value !== null && { headers: { Authorization: `Bearer ${value}` } }
const exportFirst = ({ token }: Entry, then: string) =>
  token === null
    ? `${then}, and sign in where it asks.`
    : `Set ${token} to a key of the service where it starts. ${then}.`

export const agents: Readonly<Record<string, Agent>> = {
  // https://code.claude.com/docs/en/mcp: ${VAR} is expanded in .mcp.json. Its file of the user is its own memory as well.
  claude: {
    title: 'Claude Code',
    fileOf: ({ directory }) => join(directory, '.mcp.json'),
    format: {
      kind: 'json',
      servers: 'mcpServers',
      entryOf: ({ url, token }) => ({ type: 'http', url, ...bearer(token && `\${${token}}`) }),
    },
    next: (entry) => exportFirst(entry, 'Then start claude in this directory and look at /mcp'),
  },
  // https://cursor.com/docs/mcp: ${env:NAME} is expanded in headers.
  cursor: {
    title: 'Cursor',
    fileOf: ({ home, directory }, isOfProject) => join(isOfProject ? directory : home, '.cursor', 'mcp.json'),
    format: {
      kind: 'json',
      servers: 'mcpServers',
      entryOf: ({ url, token }) => ({ url, ...bearer(token && `\${env:${token}}`) }),
    },
    next: (entry) => exportFirst(entry, 'Then restart Cursor'),
  },
  // https://code.visualstudio.com/docs/copilot/reference/mcp-configuration: the user enters an input once, and it is stored as a secret.
  vscode: {
    title: 'VS Code',
    fileOf: ({ home, directory, platform, env }, isOfProject) => {
      if (isOfProject) return join(directory, '.vscode', 'mcp.json')
      if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Code', 'User', 'mcp.json')
      const data =
        platform === 'win32'
          ? env.APPDATA || join(home, 'AppData', 'Roaming')
          : env.XDG_CONFIG_HOME || join(home, '.config')
      return join(data, 'Code', 'User', 'mcp.json')
    },
    format: {
      kind: 'json',
      servers: 'servers',
      entryOf: ({ url, token }, name) => ({ type: 'http', url, ...bearer(token && `\${input:${name}-key}`) }),
      inputsOf: (name) => [{ type: 'promptString', id: `${name}-key`, description: `Key of ${name}`, password: true }],
    },
    next: ({ token }) =>
      `Run "MCP: List Servers" in VS Code and start it: it asks ${token === null ? 'you to sign in' : 'for the key, once'}.`,
  },
  // https://developers.openai.com/codex/mcp: a key in the file is refused, the name of its variable is not.
  codex: {
    title: 'Codex',
    fileOf: ({ home, directory, env }, isOfProject) =>
      isOfProject
        ? join(directory, '.codex', 'config.toml')
        : join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    format: {
      kind: 'toml',
      table: 'mcp_servers',
      linesOf: ({ url, token }) => [
        `url = ${JSON.stringify(url)}`,
        ...(token === null ? [] : [`bearer_token_env_var = ${JSON.stringify(token)}`]),
      ],
    },
    next: (entry) =>
      entry.token === null
        ? 'Then run codex mcp login with its name.'
        : exportFirst(entry, 'Then start codex and look at /mcp'),
  },
}
