import type { InferenceCall, Telemetry } from '../../model/telemetry.ts'
import type { AnswerWriter } from '../../ports/models/answer-writer.ts'
import type { Entailment } from '../../ports/models/entailment.ts'
import type { Inference } from '../../ports/models/inference.ts'
import type { Models } from '../../ports/models/models.ts'
import type { StepPlanner } from '../../ports/models/step-planner.ts'
import type { InferenceConfig } from '../../settings/inference-config.ts'

type Providers = Pick<InferenceConfig, 'planes' | 'rerank' | 'answers' | 'entailment'>

/** The same models; each call is reported with the provider that the settings name. */
export function observedModels(telemetry: Telemetry, models: Models, providers: Providers): Models {
  const { reranker } = models
  const rerank: InferenceCall = { operation: 'rerank', provider: providers.rerank.kind, model: reranker.model }
  return {
    inference: observedInference(telemetry, models.inference, providers.planes),
    reranker: { ...reranker, score: (...asked) => telemetry.inference(rerank, () => reranker.score(...asked)) },
    writer: observedWriter(telemetry, models.writer, providers.answers.kind),
    entailment: observedEntailment(telemetry, models.entailment, providers.entailment.kind),
    planner: models.planner && observedPlanner(telemetry, models.planner, providers.answers.kind),
  }
}

function observedPlanner(telemetry: Telemetry, planner: StepPlanner, provider: string): StepPlanner {
  const call: InferenceCall = { operation: 'chat', provider, model: planner.model }
  return { ...planner, next: (...asked) => telemetry.inference(call, () => planner.next(...asked)) }
}

export function observedInference(
  telemetry: Telemetry,
  inference: Inference,
  planes: Providers['planes'] | null,
): Inference {
  return {
    ...inference,
    embed: (plane, ...asked) => {
      const call: InferenceCall = {
        operation: 'embed',
        provider: planes?.[plane].kind ?? 'builtin',
        model: inference.model(plane).name,
      }
      return telemetry.inference(call, () => inference.embed(plane, ...asked))
    },
  }
}

export function observedWriter(telemetry: Telemetry, writer: AnswerWriter, provider: string): AnswerWriter {
  const call: InferenceCall = { operation: 'chat', provider, model: writer.model }
  return { ...writer, write: (...asked) => telemetry.inference(call, () => writer.write(...asked)) }
}

export function observedEntailment(telemetry: Telemetry, entailment: Entailment, provider: string): Entailment {
  const call: InferenceCall = { operation: 'judge', provider, model: entailment.method }
  return { ...entailment, score: (...asked) => telemetry.inference(call, () => entailment.score(...asked)) }
}
