import { trace } from '@opentelemetry/api'

/** Tokens of a call, on its span if there is one. */
export function noteUsage({ input, output }: { input?: number | undefined; output?: number | undefined }): void {
  const span = trace.getActiveSpan()
  if (input !== undefined) span?.setAttribute('gen_ai.usage.input_tokens', input)
  if (output !== undefined) span?.setAttribute('gen_ai.usage.output_tokens', output)
}
