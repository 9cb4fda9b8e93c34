import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { RigDto } from './rigs.dto.js';

const nullableNumber = { type: Number, nullable: true } as const;

export class ProcessorTelemetryDto {
  @ApiProperty({ ...nullableNumber, description: 'The hottest sensor, in degrees Celsius.' })
  readonly temperature_c!: number | null;

  @ApiProperty({ ...nullableNumber, description: 'Watts, the mean since the reading before.' })
  readonly power_w!: number | null;

  @ApiProperty({ ...nullableNumber, description: '0 to 100, since the reading before.' })
  readonly utilisation_pct!: number | null;
}

export class DeviceTelemetryDto extends ProcessorTelemetryDto {
  @ApiProperty({ example: 'NVIDIA H100 80GB HBM3' })
  readonly name!: string;

  @ApiProperty({ example: 85_899_345_920 })
  readonly memory_bytes!: number;

  @ApiProperty(nullableNumber)
  readonly memory_used_bytes!: number | null;
}

export class RigTelemetryDto {
  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly measured_at!: string;

  @ApiProperty({ type: ProcessorTelemetryDto })
  readonly processors!: ProcessorTelemetryDto;

  @ApiProperty({ ...nullableNumber, description: 'Of the machine.' })
  readonly memory_used_bytes!: number | null;

  @NullableField([DeviceTelemetryDto], 'Null: no accelerator was found.')
  readonly devices!: readonly DeviceTelemetryDto[] | null;
}

export class RigModelFileDto {
  @ApiProperty({ example: 'nano' })
  readonly name!: string;

  @ApiProperty({ description: 'Of the file, in hex.' })
  readonly sha256!: string;
}

export class RigEngineDto {
  @ApiProperty({ example: 'text' })
  readonly name!: string;

  @ApiProperty({ example: 24, description: 'Tasks at once.' })
  readonly tasks_max!: number;

  @ApiProperty({ ...nullableNumber, description: 'Null for a worker that is not heard.' })
  readonly running_tasks!: number | null;

  @ApiProperty({ ...nullableNumber, description: 'Since the start of the worker.' })
  readonly done_tasks!: number | null;

  @ApiProperty({
    ...nullableNumber,
    description: 'Tasks done in a second with tasks; null before the first one.',
  })
  readonly tasks_per_second!: number | null;

  @ApiProperty({ type: [RigModelFileDto] })
  readonly models!: readonly RigModelFileDto[];
}

export class RigMomentDto {
  @ApiProperty({
    enum: [
      'registered',
      'restarted',
      'changed',
      'drain_requested',
      'drained',
      'lost',
      'returned',
      'stopped',
      'certified',
    ],
  })
  readonly event!: string;

  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly at!: string;
}

export class RigSpanDto {
  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly from!: string;

  @ApiProperty({ example: '2026-01-01T01:00:00.000Z' })
  readonly to!: string;

  @ApiProperty({ example: 720 })
  readonly heartbeats!: number;

  @ApiProperty({ example: 1_024 })
  readonly done_tasks!: number;

  @ApiProperty(nullableNumber)
  readonly temperature_max_c!: number | null;

  @ApiProperty(nullableNumber)
  readonly power_mean_w!: number | null;
}

export class RigDetailDto extends RigDto {
  @NullableField(String, 'Of the worker’s process.')
  readonly started_at!: string | null;

  @NullableField(String, 'The last heartbeat that this gateway has heard.')
  readonly last_heard_at!: string | null;

  @NullableField(
    RigTelemetryDto,
    'Of the last heartbeat. Null where none is heard, and for a rig of the catalog, whose ' +
      'machine Quipu does not read. A value is null where the machine does not tell it.',
  )
  readonly telemetry!: RigTelemetryDto | null;

  @NullableField([RigEngineDto], 'Null for a rig of the catalog.')
  readonly engines!: readonly RigEngineDto[] | null;

  @ApiProperty({
    type: [RigMomentDto],
    description: 'The last 50, newest first, and the last certification.',
  })
  readonly history!: readonly RigMomentDto[];

  @ApiProperty({
    type: [RigSpanDto],
    description: 'Summaries of the heartbeats of a worker, about an hour each: the last 48.',
  })
  readonly summaries!: readonly RigSpanDto[];
}

export class RigFoundDto extends AnswerDto {
  @ApiProperty({ type: RigDetailDto })
  readonly rig!: RigDetailDto;
}

export class RigDrainDto extends AnswerDto {
  @ApiProperty({ example: 'worker-0123456789abcdef' })
  readonly rig!: string;

  @ApiProperty({ enum: ['draining', 'drained'] })
  readonly state!: 'draining' | 'drained';
}
