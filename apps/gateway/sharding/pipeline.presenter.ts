import { type PipelineOrder } from '#areas/sharding/pipeline-order.js';
import { type PipelineAnswer } from '#areas/sharding/run-pipeline.handler.js';
import { type PipelineAnswerDto } from './pipeline.dto.js';

export const presentAnswer = (
  { model, transport }: PipelineOrder,
  { text, end }: PipelineAnswer,
): PipelineAnswerDto => ({
  status: 'success',
  routing_mode: 'sharded_pipeline',
  pipeline_distribution: end.stages.map(
    ({ stage, node, first, last, transportLatencyMs, computeMs }) => ({
      stage,
      node,
      layers: `${first}-${last}`,
      transport_latency_ms: transportLatencyMs,
      compute_ms: computeMs,
    }),
  ),
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: text },
      finish_reason: end.finishReason,
    },
  ],
  model,
  transport,
  usage: {
    prompt_tokens: end.promptTokens,
    completion_tokens: end.completionTokens,
    total_tokens: end.promptTokens + end.completionTokens,
  },
  failovers: end.failovers,
  return_latency_ms: end.returnLatencyMs,
  engine: `embedded:llama-layers@${end.modelSha256}`,
});
