import { ApiProperty } from '@nestjs/swagger';
import {
  MESH_TASK_STATUSES,
  type MeshTaskStatus,
} from '#projections/mesh/mesh-tasks.projection.js';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { ChoiceField, CursorField, IntegerField, TextField } from '../fields/request-fields.js';

export const LEASE_TTL_SEC_DEFAULT = 300;
export const LEASE_TTL_SEC_MIN = 1;
export const LEASE_TTL_SEC_MAX = 3_600;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const NAME_FORM = 'a letter or digit, then up to 127 of A-Z a-z 0-9 . _ : -';
const REF_LENGTH_MAX = 256;
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

export class MeshHandoffDto {
  @TextField({
    required: false,
    example: 'survey-4711',
    description: 'The task, by the account’s own name for it. Default: a new task with a UUID.',
    matches: NAME,
    expected: NAME_FORM,
  })
  readonly task_id?: string;

  @TextField({
    example: 'summarizer',
    description: 'Who gets the task.',
    matches: NAME,
    expected: NAME_FORM,
  })
  readonly target_agent!: string;

  @TextField({
    required: false,
    example: 'researcher',
    description: 'Who hands the task on; needed with a `fencing_token`.',
    matches: NAME,
    expected: NAME_FORM,
  })
  readonly source_agent?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    example: 1,
    description: 'Of the lease that `source_agent` has. Absent: the task has no holder.',
    maximum: Number.MAX_SAFE_INTEGER,
  })
  readonly fencing_token?: number;

  @IntegerField({
    required: false,
    default: LEASE_TTL_SEC_DEFAULT,
    minimum: LEASE_TTL_SEC_MIN,
    maximum: LEASE_TTL_SEC_MAX,
    description: 'The seconds after which the lease ends without a heartbeat.',
  })
  readonly lease_ttl_sec: number = LEASE_TTL_SEC_DEFAULT;

  @TextField({
    required: false,
    maxLength: REF_LENGTH_MAX,
    example: 'file-0a1b2c3d',
    description:
      'Where the agent finds what it needs, such as the id of a file. The gateway stores it and ' +
      'does not read it: content does not belong here.',
    minLength: 1,
  })
  readonly context_ref?: string;
}

export class MeshHandoffResultDto {
  @ApiProperty({ enum: ['handed_off'] })
  readonly status!: 'handed_off';
  @ApiProperty({ example: 'survey-4711' })
  readonly task_id!: string;
  @ApiProperty({ example: 'summarizer' })
  readonly target_agent!: string;
  @NullableField(
    String,
    'The process that leads the installation. Null while none is elected.',
    'quipu-1',
  )
  readonly raft_leader!: string | null;
  @ApiProperty({ example: LEASE_TTL_SEC_DEFAULT })
  readonly lease_ttl_sec!: number;
  @ApiProperty({ example: 2, description: 'Higher than every earlier token of the task.' })
  readonly fencing_token!: number;
  @InstantField('The end of the lease without a heartbeat.')
  readonly lease_expires_at!: string;
  @ApiProperty({
    enum: ['none', 'log', 'etcd'],
    description: 'How the leader is elected. `none`: one process works alone.',
  })
  readonly election!: 'none' | 'log' | 'etcd';
  @NullableField(
    Number,
    'The processes in the election. Null where the election does not know them.',
    1,
  )
  readonly cluster_size!: number | null;
  @ApiProperty({
    description: 'How many events of the log the answer reflects, for `asOf`.',
    example: '42',
  })
  readonly position!: string;
}

export class MeshTaskIdDto {
  @TextField({ description: 'The id of the task.', matches: NAME, expected: NAME_FORM })
  readonly id!: string;
}

export class MeshHolderDto {
  @TextField({
    example: 'summarizer',
    description: 'The holder.',
    matches: NAME,
    expected: NAME_FORM,
  })
  readonly agent!: string;

  @IntegerField({
    minimum: 1,
    example: 2,
    description: 'Of its lease.',
    maximum: Number.MAX_SAFE_INTEGER,
  })
  readonly fencing_token!: number;
}

export class MeshCompletionDto extends MeshHolderDto {
  @TextField({
    required: false,
    maxLength: REF_LENGTH_MAX,
    example: 'file-4e5f6a7b',
    description: 'Where the result is. The gateway stores it and does not read it.',
    minLength: 1,
  })
  readonly result_ref?: string;
}

export class MeshLeaseDto extends PositionedAnswerDto {
  @ApiProperty({ example: 'survey-4711' })
  readonly task_id!: string;
  @ApiProperty({ enum: MESH_TASK_STATUSES })
  readonly status!: MeshTaskStatus;
  @ApiProperty({ example: 'summarizer', description: 'The holder of the last lease.' })
  readonly agent!: string;
  @ApiProperty({ example: 2 })
  readonly fencing_token!: number;
  @InstantField('The end of the lease without a heartbeat.')
  readonly lease_expires_at!: string;
  @InstantField('No heartbeat renews the lease beyond it.')
  readonly renewable_until!: string;
}

export class MeshTaskDto {
  @ApiProperty({ example: 'survey-4711' })
  readonly task_id!: string;
  @ApiProperty({ enum: MESH_TASK_STATUSES })
  readonly status!: MeshTaskStatus;
  @ApiProperty({ example: 'summarizer', description: 'The holder of the last lease.' })
  readonly agent!: string;
  @NullableField(String, 'Who handed the task to it.')
  readonly source_agent!: string | null;
  @ApiProperty({ example: 2 })
  readonly fencing_token!: number;
  @ApiProperty({ example: LEASE_TTL_SEC_DEFAULT })
  readonly lease_ttl_sec!: number;
  @NullableField(String, undefined, 'file-0a1b2c3d')
  readonly context_ref!: string | null;
  @NullableField(String, 'Of a completed task.')
  readonly result_ref!: string | null;
  @InstantField('The first handoff.')
  readonly created_at!: string;
  @InstantField('The last handoff.')
  readonly handed_off_at!: string;
  @InstantField('The end of the last lease without a heartbeat.')
  readonly lease_expires_at!: string;
  @InstantField('No heartbeat renews the lease beyond it.')
  readonly renewable_until!: string;
  @NullableField(String, 'Null: not completed.')
  readonly completed_at!: string | null;
}

export class MeshTaskAnswerDto extends PositionedAnswerDto {
  @ApiProperty({ type: MeshTaskDto })
  readonly task!: MeshTaskDto;
  @NullableField(
    String,
    'The process that leads the installation. Null while none is elected.',
    'quipu-1',
  )
  readonly raft_leader!: string | null;
  @NullableField(Number, 'Null: not known.', 1)
  readonly cluster_size!: number | null;
}

export class MeshTasksPageDto {
  @TextField({
    required: false,
    description: 'Only tasks whose last lease is this agent’s.',
    matches: NAME,
    expected: NAME_FORM,
  })
  readonly agent?: string;

  @ChoiceField(MESH_TASK_STATUSES, { required: false, description: 'Only tasks in it.' })
  readonly status?: MeshTaskStatus;

  @CursorField()
  readonly after?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: 'The tasks of a page.',
    fromText: true,
  })
  readonly limit: number = LIMIT_DEFAULT;
}

export class MeshTaskListDto extends PositionedAnswerDto {
  @ApiProperty({ type: [MeshTaskDto], description: 'By id.' })
  readonly tasks!: readonly MeshTaskDto[];
  @NullableField(String, 'Null: this is the last page.')
  readonly next_after!: string | null;
}
