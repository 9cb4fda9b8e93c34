import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';

const SOURCES = ['engine', 'upstream_request', 'upstream_counters'];

export class SwarmMessageDto {
  @ApiProperty({ example: 'assistant' })
  readonly role!: string;
  @ApiProperty({ example: 'A quipu is a knotted cord.' })
  readonly content!: string;
}

export class SwarmChoiceDto {
  @ApiProperty({ example: 0 })
  readonly index!: number;
  @ApiProperty({ type: SwarmMessageDto })
  readonly message!: SwarmMessageDto;
  @ApiProperty({ enum: ['stop', 'length'] })
  readonly finish_reason!: string;
}

export class SwarmUsageDto {
  @ApiProperty({ example: 14 })
  readonly prompt_tokens!: number;
  @ApiProperty({ example: 48 })
  readonly completion_tokens!: number;
  @ApiProperty({ example: 62 })
  readonly total_tokens!: number;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'As a chat has them, such as `cached_tokens`; an unmeasured count is absent.',
  })
  readonly prompt_tokens_details?: Readonly<Record<string, number | undefined>>;
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'As a chat has them, such as `reasoning_tokens`.',
  })
  readonly completion_tokens_details?: Readonly<Record<string, number | undefined>>;
}

export class SpeculativeTelemetryDto {
  @NullableField(Number, 'Null where nothing was measured.')
  readonly draft_tokens_generated!: number | null;
  @NullableField(Number, 'Without the bonus tokens.')
  readonly tokens_accepted!: number | null;
  @NullableField(Number, undefined, 62.5)
  readonly acceptance_rate_pct!: number | null;
  @NullableField(
    String,
    'Measured against plain decoding of earlier requests; null before that.',
    '0.83x',
  )
  readonly speedup_ratio!: string | null;
  @ApiProperty({ example: 'built-in', description: 'The rig that drafts.' })
  readonly generator_node!: string;
  @ApiProperty({ example: 'built-in', description: 'The rig that verifies.' })
  readonly verifier_node!: string;
  @NullableField(String, 'Null where an upstream drafts.')
  readonly draft_model!: string | null;
  @NullableField(Number, 'Evaluations of the target.')
  readonly target_calls!: number | null;
  @NullableField(Number, 'Compared with plain decoding.')
  readonly target_calls_saved!: number | null;
  @ApiProperty({ example: 3, description: 'Requests that `speedup_ratio` is measured on.' })
  readonly speedup_measured_requests!: number;
  @ApiProperty({ type: String, enum: SOURCES, nullable: true, description: 'Who counted.' })
  readonly telemetry_source!: string | null;
}

export class SpeculativeAnswerDto {
  @ApiProperty({ example: 'success' })
  readonly status!: 'success';
  @ApiProperty({ example: '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f' })
  readonly request_id!: string;
  @ApiProperty({ example: 'vllm_speculative' })
  readonly routing_mode!: 'vllm_speculative';
  @ApiProperty({ example: 'quipu/mini' })
  readonly model!: string;
  @ApiProperty({ type: [SwarmChoiceDto] })
  readonly choices!: readonly SwarmChoiceDto[];
  @ApiProperty({ type: SwarmUsageDto })
  readonly usage!: SwarmUsageDto;
  @ApiProperty({ type: SpeculativeTelemetryDto })
  readonly speculative_telemetry!: SpeculativeTelemetryDto;
}

export class ConsensusMemberDto {
  @ApiProperty({ example: 'branch-1' })
  readonly step!: string;
  @ApiProperty({ example: 'quipu/nano' })
  readonly model!: string;
  @ApiProperty({ example: 'built-in' })
  readonly node!: string;
  @ApiProperty({ example: 1_234 })
  readonly seed!: number;
  @ApiProperty({ enum: ['answered', 'failed'] })
  readonly status!: string;
  @NullableField(String, 'Why it gave no answer.')
  readonly error!: string | null;
  @ApiProperty({ description: 'Whether it belongs to the largest cluster of proposals.' })
  readonly agrees!: boolean;
}

export class CostBranchDto {
  @ApiProperty({ example: 'aggregator' })
  readonly step!: string;
  @ApiProperty({ example: 'quipu/nano' })
  readonly model!: string;
  @NullableField(String, undefined, 'built-in')
  readonly rig!: string | null;
  @ApiProperty({ example: 120 })
  readonly input_tokens!: number;
  @ApiProperty({ example: 48 })
  readonly output_tokens!: number;
  @ApiProperty({ example: '0.000010800000', description: 'Exact, in USD.' })
  readonly cost_usd!: string;
}

export class ConsensusTelemetryDto {
  @ApiProperty({ example: 3, description: 'Members that answered.' })
  readonly fanout_count!: number;
  @ApiProperty({ example: 'built-in', description: 'The rig of the synthesis.' })
  readonly synthesizer_node!: string;
  @ApiProperty({ type: [String], description: 'The rigs of members that answered.' })
  readonly participating_nodes!: readonly string[];
  @ApiProperty({
    example: 0.666_666_666_666_666_6,
    description: 'The share of the proposals that are in the largest cluster that agrees.',
  })
  readonly consensus_confidence!: number;
  @ApiProperty({ example: 3 })
  readonly fanout_requested!: number;
  @ApiProperty({ example: 'quipu/nano' })
  readonly synthesis_model!: string;
  @ApiProperty({ description: 'When two proposals agree.' })
  readonly agreement_method!: string;
  @ApiProperty({ type: [ConsensusMemberDto] })
  readonly members!: readonly ConsensusMemberDto[];
  @ApiProperty({ type: [CostBranchDto] })
  readonly cost_tree!: readonly CostBranchDto[];
}

export class ConsensusAnswerDto {
  @ApiProperty({ example: 'success' })
  readonly status!: 'success';
  @ApiProperty({ example: '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f' })
  readonly request_id!: string;
  @ApiProperty({ example: 'moa_consensus' })
  readonly routing_mode!: 'moa_consensus';
  @ApiProperty({ example: 'A quipu is a knotted cord.' })
  readonly consensus_output!: string;
  @ApiProperty({ enum: ['stop', 'length'] })
  readonly finish_reason!: string;
  @ApiProperty({ type: SwarmUsageDto, description: 'Of all steps together.' })
  readonly usage!: SwarmUsageDto;
  @ApiProperty({ type: ConsensusTelemetryDto })
  readonly moa_telemetry!: ConsensusTelemetryDto;
}
