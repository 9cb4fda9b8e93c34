import { ApiProperty } from '@nestjs/swagger';
import { NEURON_MODELS } from '#areas/spiking/spiking.modes.js';
import { type ShownStatus, SHOWN_STATUSES } from '#projections/jobs/jobs.projection.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { SpikingClassificationDto } from './spiking-answer.dto.js';

export class SpikingReturnsDto {
  @ApiProperty({ example: 498.2, description: 'Points of an episode, the mean over `episodes`.' })
  readonly mean!: number;
  @ApiProperty({ example: 480.5, description: 'Where no push has the session of the one before.' })
  readonly mean_without_session!: number;
  @ApiProperty({ example: 500, description: 'The most points that an episode can have.' })
  readonly maximum!: number;
  @ApiProperty({ example: 22.1, description: 'Of the baseline, from the same starts.' })
  readonly baseline_mean!: number;
  @ApiProperty({ example: 100, description: 'Held-out episodes.' })
  readonly episodes!: number;
}

const NULL_WHERE_IT_ACTS = 'null where the read-out acts, as no action is right by itself.';

export class SpikingHeadDto {
  @ApiProperty({ example: 'shapes' })
  readonly task!: string;
  @ApiProperty({ description: 'What an input is, and what decides its class.' })
  readonly description!: string;
  @ApiProperty({ type: [String] })
  readonly classes!: readonly string[];
  @NullableField(Number, `On held-out examples; ${NULL_WHERE_IT_ACTS}`, 0.97)
  readonly accuracy!: number | null;
  @NullableField(Number, 'The expected calibration error.', 0.02)
  readonly calibration_error!: number | null;
  @ApiProperty({ example: 'most frequent class' })
  readonly baseline_name!: string;
  @NullableField(Number, undefined, 0.125)
  readonly baseline_accuracy!: number | null;
  @NullableField(Number, undefined, 800)
  readonly held_out_examples!: number | null;
  @NullableField(SpikingReturnsDto, 'The score of a read-out that acts; null of any other.')
  readonly returns!: SpikingReturnsDto | null;
}

export class SpikingModelDto {
  @ApiProperty({ example: 'snnlib/hybrid-spiking-cnn' })
  readonly slug!: string;
  @ApiProperty({ example: 'Hybrid CNN-SNN' })
  readonly display_name!: string;
  @ApiProperty({ example: 'hybrid_cnn' })
  readonly routing_mode!: string;
  @ApiProperty({ example: 'two dense convolutions with ReLU, two LIF layers' })
  readonly architecture!: string;
  @ApiProperty({ enum: NEURON_MODELS, isArray: true, description: 'The first is the default.' })
  readonly neuron_models!: readonly string[];
  @ApiProperty({ example: 12_936 })
  readonly parameters!: number;
  @ApiProperty({ example: 'shapes', description: 'What arrays are classified by.' })
  readonly task!: string;
  @NullableField(Number, `On held-out examples of the task; ${NULL_WHERE_IT_ACTS}`, 0.97)
  readonly accuracy!: number | null;
  @NullableField(
    Number,
    'Of a network that acts: mean points of an episode; null of any other.',
    494.8,
  )
  readonly mean_return!: number | null;
  @ApiProperty({ type: [String], description: 'The classes of texts.' })
  readonly domains!: readonly string[];
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  readonly weights_sha256!: string;
  @ApiProperty({ type: [Number], example: [16, 16, 1], description: 'Arrays are resampled to it.' })
  readonly input_shape!: readonly number[];
  @ApiProperty({ enum: ['static', 'sequence'], description: 'A sequence has it at each timestep.' })
  readonly input_kind!: 'static' | 'sequence';
  @ApiProperty({ type: 'array', items: {}, description: 'An `input_data` of the task.' })
  readonly example_input!: readonly unknown[];
  @ApiProperty({ type: SpikingHeadDto })
  readonly native_head!: SpikingHeadDto;
  @ApiProperty({ type: SpikingHeadDto })
  readonly text_head!: SpikingHeadDto;
}

export class SpikingModelListDto extends AnswerDto {
  @ApiProperty({ type: [SpikingModelDto] })
  readonly models!: readonly SpikingModelDto[];
}

export class SpikingBatchItemDto {
  @ApiProperty({ example: 0, description: 'The place of the input, from 0.' })
  readonly index!: number;
  @ApiProperty({ required: false, description: 'Why the network rejected the input; it is free.' })
  readonly error?: string;
  @ApiProperty({ required: false, type: SpikingClassificationDto })
  readonly classification?: SpikingClassificationDto;
  @ApiProperty({ required: false, description: 'Of a language model, its text; else empty.' })
  readonly completion?: string;
  @ApiProperty({ required: false, example: 123 })
  readonly spikes_emitted?: number;
  @ApiProperty({ required: false, example: 5_120 })
  readonly total_synaptic_spikes?: number;
  @ApiProperty({ required: false, example: 20_480 })
  readonly macs?: number;
  @ApiProperty({ required: false, example: 1.8 })
  readonly latency_ms?: number;
}

export class SpikingBatchProgressDto {
  @ApiProperty({ example: 20 })
  readonly done!: number;
  @NullableField(Number, undefined, 100)
  readonly total!: number | null;
}

export class SpikingBatchFaultDto {
  @ApiProperty({ example: 'lost' })
  readonly code!: string;
  @ApiProperty({ example: 'the host is silent' })
  readonly message!: string;
}

export class SpikingBatchDto extends AnswerDto {
  @ApiProperty({ example: '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f', description: 'Of `/jobs`, too.' })
  readonly job_id!: string;
  @ApiProperty({ enum: SHOWN_STATUSES })
  readonly status!: ShownStatus;
  @NullableField(SpikingBatchProgressDto)
  readonly progress!: SpikingBatchProgressDto | null;
  @NullableField(String, 'Null before it is charged.')
  readonly charged_micro_usd!: string | null;
  @NullableField(SpikingBatchFaultDto)
  readonly error!: SpikingBatchFaultDto | null;
  @ApiProperty({ type: [SpikingBatchItemDto], description: 'What has finished.' })
  readonly results!: readonly SpikingBatchItemDto[];
}
