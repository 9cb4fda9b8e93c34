import { ApiProperty } from '@nestjs/swagger';
import { TEMPERATURE_DEFAULT } from '#platform/chats/chat-defaults.js';
import { type Transport, TRANSPORTS } from '#areas/sharding/pipeline.task.js';
import { NullableField } from '../fields/answer-fields.js';
import {
  ChoiceField,
  IntegerField,
  NumberField,
  ObjectsField,
  StringsField,
  TextField,
} from '../fields/request-fields.js';

const ROLES = ['system', 'user', 'assistant'] as const;

const MESSAGES_MAX = 1_024;

export class PipelineMessageDto {
  @ChoiceField(ROLES)
  readonly role!: (typeof ROLES)[number];

  @TextField({ example: 'What is a hold?', maxLength: 1_000_000 })
  readonly content!: string;
}

export class OrchestratePipelineDto {
  @TextField({
    example: 'quipu/nano',
    description: 'A model of the catalog with a GGUF file of Llama architecture.',
    minLength: 1,
    maxLength: 256,
  })
  readonly model!: string;

  @ObjectsField(PipelineMessageDto, { minItems: 1, maxItems: MESSAGES_MAX })
  readonly messages!: readonly PipelineMessageDto[];

  @ChoiceField(TRANSPORTS, {
    required: false,
    default: 'websocket',
    description:
      '`wireguard_direct` has the stages listen at the WireGuard interface of the operator; ' +
      'where there is none it is refused.',
  })
  readonly transport?: Transport | null;

  @IntegerField({
    required: false,
    type: 'integer',
    nullable: true,
    example: 64,
    minimum: 1,
    maximum: 10_000_000,
  })
  readonly max_tokens?: number | null;

  @NumberField({
    required: false,
    type: Number,
    nullable: true,
    default: TEMPERATURE_DEFAULT,
    minimum: 0,
    maximum: 2,
  })
  readonly temperature?: number | null;

  @NumberField({
    required: false,
    type: Number,
    nullable: true,
    default: 1,
    minimum: 0,
    maximum: 1,
  })
  readonly top_p?: number | null;

  @IntegerField({
    required: false,
    type: 'integer',
    nullable: true,
    description: 'The same seed and request give the same text. Drawn where it is absent.',
  })
  readonly seed?: number | null;

  @StringsField({
    required: false,
    maxItems: 16,
    itemLengthMax: 256,
    nullable: true,
    description: 'The answer ends before the first of these appears.',
  })
  readonly stop?: readonly string[] | null;
}

export class PipelineStageDto {
  @ApiProperty({ example: 0 })
  readonly stage!: number;
  @ApiProperty({ example: 'quipu-1:4711', description: 'The process: its host, and its id there.' })
  readonly node!: string;
  @ApiProperty({ example: '0-1', description: 'The first and the last layer, counted from 0.' })
  readonly layers!: string;
  @NullableField(
    Number,
    'Mean of the hops into the stage, from sending to receiving; measured by the one steady ' +
      'clock of the machine, and null where the two ends have no clock in common.',
    0.21,
  )
  readonly transport_latency_ms!: number | null;
  @NullableField(Number, 'Of all its steps together.')
  readonly compute_ms!: number | null;
}

export class PipelineReplyDto {
  @ApiProperty({ enum: ['assistant'] })
  readonly role!: 'assistant';
  @ApiProperty({ example: 'A hold reserves the worst-case price before any work.' })
  readonly content!: string;
}

export class PipelineChoiceDto {
  @ApiProperty({ example: 0 })
  readonly index!: 0;
  @ApiProperty({ type: PipelineReplyDto })
  readonly message!: PipelineReplyDto;
  @ApiProperty({ enum: ['stop', 'length'] })
  readonly finish_reason!: 'stop' | 'length';
}

export class PipelineUsageDto {
  @ApiProperty({ example: 14 })
  readonly prompt_tokens!: number;
  @ApiProperty({ example: 21 })
  readonly completion_tokens!: number;
  @ApiProperty({ example: 35 })
  readonly total_tokens!: number;
}

export class PipelineAnswerDto {
  @ApiProperty({ enum: ['success'] })
  readonly status!: 'success';
  @ApiProperty({ enum: ['sharded_pipeline'] })
  readonly routing_mode!: 'sharded_pipeline';
  @ApiProperty({ type: [PipelineStageDto], description: 'The stages, in order.' })
  readonly pipeline_distribution!: readonly PipelineStageDto[];
  @ApiProperty({ type: [PipelineChoiceDto] })
  readonly choices!: readonly PipelineChoiceDto[];
  @ApiProperty({ example: 'quipu/nano' })
  readonly model!: string;
  @ApiProperty({ enum: TRANSPORTS })
  readonly transport!: Transport;
  @ApiProperty({ type: PipelineUsageDto })
  readonly usage!: PipelineUsageDto;
  @ApiProperty({ description: 'How often the answer continued with a standby stage.' })
  readonly failovers!: number;
  @NullableField(Number, 'Mean of the hops to the last end.')
  readonly return_latency_ms!: number | null;
  @ApiProperty({ example: 'embedded:llama-layers@d103…' })
  readonly engine!: string;
}
