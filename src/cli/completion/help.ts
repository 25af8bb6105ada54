import { envFile, flagLines } from '../program/help.ts'

export const help = `Prints a script that completes commands and flags in a shell.

  multimodal-retrieval completion bash|zsh|fish

  bash  add to ~/.bashrc: eval "$(multimodal-retrieval completion bash)"
  zsh   add to ~/.zshrc: eval "$(multimodal-retrieval completion zsh)"
  fish  multimodal-retrieval completion fish > ~/.config/fish/completions/multimodal-retrieval.fish

${flagLines(envFile)}

  exit 0  printed
       2  wrong usage`
