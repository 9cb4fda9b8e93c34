import {
  type ConsensusReport,
  consensusTelemetryOf,
} from '#areas/swarm/consensus/consensus-report.js';
import {
  type SpeculativeReport,
  telemetryOf,
} from '#areas/swarm/speculative/speculative-report.js';
import { usageObject } from '#platform/chats/chat-usage.js';
import { type SwarmAnswer } from '#areas/swarm/swarm-stream.js';
import { type ConsensusAnswerDto, type SpeculativeAnswerDto } from './swarm.dto.js';

export const presentSpeculative = (
  requestId: string,
  { text: content, finishReason, usage, report }: SwarmAnswer<SpeculativeReport>,
): SpeculativeAnswerDto => ({
  status: 'success',
  request_id: requestId,
  routing_mode: 'vllm_speculative',
  model: report.model,
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: finishReason }],
  usage: usageObject(usage),
  speculative_telemetry: telemetryOf(report),
});

export const presentConsensus = (
  requestId: string,
  { text, finishReason, usage, report }: SwarmAnswer<ConsensusReport>,
): ConsensusAnswerDto => ({
  status: 'success',
  request_id: requestId,
  routing_mode: 'moa_consensus',
  consensus_output: text,
  finish_reason: finishReason,
  usage: usageObject(usage),
  moa_telemetry: consensusTelemetryOf(report),
});
