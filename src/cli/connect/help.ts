import { flagLines, url } from '../program/help.ts'

export const help = `Connects an agent to a running service: writes the service into the agent's own configuration, after asking.

  multimodal-retrieval connect claude|cursor|vscode|codex [--url URL] [--scope SCOPE] [--project] [--consent] [--yes]
  multimodal-retrieval connect claude|cursor|vscode|codex --print
  multimodal-retrieval connect claude|cursor|vscode|codex --remove [--project] [--yes]

It shows the file and the lines that change, and keeps everything else in it. No key is written: Claude Code, Cursor and Codex
read it from the variable SVC_TOKEN when they start, and VS Code asks for it once and keeps it in its secret storage.

${flagLines(
  url,
  ['--scope SCOPE', 'the scope of all requests. Tools can only narrow it'],
  ['--name NAME', 'what the agent calls the service. Default: retrieval'],
  [
    '--project',
    "the configuration of the project in the working directory, not that of the user. Claude Code's is always this one",
  ],
  ['--consent', 'without a key: the agent asks a person to sign in and consent, where the service has sign-in'],
  ['--print', 'only print what belongs in which file'],
  ['--remove', 'take it out again'],
  ['--yes', 'do not ask'],
)}

  exit 0  written, or as it was already
       1  not wanted
       2  not done: wrong usage, or a file that this command cannot change without loss`
