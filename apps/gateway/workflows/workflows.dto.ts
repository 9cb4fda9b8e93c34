import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsObject, IsOptional } from 'class-validator';
import { z } from 'zod';
import { WorkflowDocument } from '#areas/workflows/definition/workflow-document.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { CursorField, FlagField, IntegerField, TextField } from '../fields/request-fields.js';

const RUNS_LIMIT_DEFAULT = 20;
const RUNS_LIMIT_MAX = 100;
const INT_MAX = 2_147_483_647;

const definitionSchema = z.toJSONSchema(WorkflowDocument, {
  io: 'input',
  target: 'openapi-3.0',
});

const EXAMPLE = {
  inputs: { topic: {} },
  nodes: [
    {
      name: 'draft',
      kind: 'chat',
      parameters: { model: 'quipu/nano', prompt: 'Write about {{ inputs.topic }}.' },
      retry: { attempts_max: 3 },
    },
    { name: 'review', kind: 'approval', after: ['draft'] },
  ],
};

const DefinitionField = () =>
  ApiProperty({
    ...(definitionSchema as object),
    selfRequired: true,
    description: 'The graph: nodes, the nodes before each, and their parameters.',
    example: EXAMPLE,
  });

/** 100 nodes with parameters; the schema of a definition checks them. */
const VALUES_MAX = 8_192;

export class CreateWorkflowDto {
  static readonly valuesMax = VALUES_MAX;

  @TextField({
    example: 'weekly-report',
    matches: /^[a-z0-9][a-z0-9_-]{0,63}$/,
    expected: 'lower case, digits, dashes and underscores, 64 characters at most',
  })
  readonly name!: string;

  @DefinitionField()
  @IsObject({ message: 'an object' })
  readonly definition!: object;
}

export class AddWorkflowVersionDto {
  static readonly valuesMax = VALUES_MAX;

  @DefinitionField()
  @IsObject({ message: 'an object' })
  readonly definition!: object;
}

export class WorkflowIdDto {
  @IntegerField({
    description: 'The id of the workflow.',
    minimum: 1,
    maximum: INT_MAX,
    fromText: true,
  })
  readonly id!: number;
}

export class WorkflowVersionDto {
  @IntegerField({
    required: false,
    minimum: 1,
    description: 'A version. Default: the newest.',
    maximum: INT_MAX,
    fromText: true,
  })
  readonly version?: number;
}

export class RunWorkflowDto {
  @IntegerField({ example: 1, description: 'The workflow to run.', minimum: 1, maximum: INT_MAX })
  readonly workflow_id!: number;

  @IntegerField({
    required: false,
    example: 1,
    description: 'Default: the newest version.',
    minimum: 1,
    maximum: INT_MAX,
  })
  readonly version?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    default: {},
    example: { topic: 'knots' },
    description: 'A text for each input that the workflow declares.',
  })
  @IsOptional()
  @IsObject({ message: 'an object' })
  readonly inputs: Readonly<Record<string, unknown>> = {};

  @FlagField({
    required: false,
    default: false,
    description: 'True: the answer comes at once, and the run is followed by its id.',
  })
  readonly async: boolean = false;
}

export class RunsPageDto {
  @CursorField()
  readonly after?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: RUNS_LIMIT_MAX,
    default: RUNS_LIMIT_DEFAULT,
    description: 'The number of runs of a page.',
    fromText: true,
  })
  readonly limit: number = RUNS_LIMIT_DEFAULT;
}

export class DecideApprovalDto {
  @FlagField({ example: true, description: 'False: the node fails with the code `rejected`.' })
  readonly approved!: boolean;
}

export class WorkflowDto {
  @ApiProperty({ example: 1 })
  readonly workflow_id!: number;
  @ApiProperty({ example: 'weekly-report' })
  readonly name!: string;
  @ApiProperty({ example: 2, description: 'The newest version.' })
  readonly version!: number;
  @ApiProperty({ example: '2026-11-22T10:00:00.000Z' })
  readonly created_at!: string;
  @ApiProperty({ example: '2026-11-22T10:00:00.000Z', description: 'Of the newest version.' })
  readonly versioned_at!: string;
}

export class WorkflowListDto extends AnswerDto {
  @ApiProperty({ type: [WorkflowDto] })
  readonly workflows!: readonly WorkflowDto[];
}

export class WorkflowDetailsDto extends WorkflowDto {
  @ApiProperty({ example: true })
  readonly success!: true;
  @DefinitionField()
  readonly definition!: object;
  @ApiProperty({ type: [String], description: 'The nodes in topological order.' })
  readonly order!: readonly string[];
}

export class StoredWorkflowDto extends AnswerDto {
  @ApiProperty({ example: 1 })
  readonly workflow_id!: number;
  @ApiProperty({ example: 'weekly-report' })
  readonly name!: string;
  @ApiProperty({ example: 1 })
  readonly version!: number;
}

export class NodeKindDto {
  @ApiProperty({ example: 'chat' })
  readonly kind!: string;
  @ApiProperty()
  readonly description!: string;
  @ApiProperty({ description: 'Whether it calls a tool of the gateway.' })
  readonly calls_tool!: boolean;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of the parameters.',
  })
  readonly parameters!: object;
}

export class NodeKindsDto extends AnswerDto {
  @ApiProperty({ type: [NodeKindDto] })
  readonly kinds!: readonly NodeKindDto[];
}

const RUN_STATUSES = ['running', 'completed', 'failed', 'cancelled', 'timed_out', 'parked'];
const NODE_STATUSES = [
  'pending',
  'running',
  'retrying',
  'succeeded',
  'failed',
  'skipped',
  'upstream_failed',
  'cancelled',
];

export class NodeResultDto {
  @ApiProperty({ enum: NODE_STATUSES })
  readonly status!: string;
  @ApiProperty({ example: 'chat' })
  readonly kind!: string;
  @ApiProperty({ example: 1, description: 'The attempts that began.' })
  readonly attempts!: number;
  @NullableField(
    Number,
    'From the begin of the last attempt to the end; null: it has not ended, or began.',
  )
  readonly elapsed_ms!: number | null;
  @NullableField(String, 'Why it did not succeed.')
  readonly code!: string | null;
  @NullableField(String)
  readonly message!: string | null;
  @ApiProperty({
    type: [String],
    description: 'Why the charge is lower than the stated usage could mean, as for a chat.',
  })
  readonly usage_doubts!: readonly string[];
  @ApiProperty({ nullable: true, description: 'JSON; null where there is none.' })
  readonly output!: unknown;
}

export class WorkflowRunDto {
  @ApiProperty({ description: 'Whether the run has not failed.', example: true })
  readonly success!: boolean;
  @ApiProperty({ format: 'uuid' })
  readonly run_id!: string;
  @ApiProperty({ example: 1 })
  readonly workflow_id!: number;
  @ApiProperty({ example: 1 })
  readonly version!: number;
  @ApiProperty({ enum: RUN_STATUSES })
  readonly status!: string;
  @ApiProperty({ example: 412.5, description: 'Since the start; of an ended run, until its end.' })
  readonly elapsed_ms!: number;
  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: '#/components/schemas/NodeResultDto' },
    description: 'By the name of the node, with the counters that its tool measured.',
  })
  readonly node_results!: Readonly<Record<string, NodeResultDto>>;
  @ApiProperty({ type: [String], description: 'The chain of nodes that took longest together.' })
  readonly critical_path!: readonly string[];
  @ApiProperty({ example: 410, description: 'The measured time of that chain.' })
  readonly critical_path_ms!: number;
  @NullableField(String, 'Millionths of a dollar; null until the run is charged.', '450')
  readonly amount_micro_usd!: string | null;
  @ApiProperty({ example: '2026-11-22T10:00:00.000Z' })
  readonly started_at!: string;
  @NullableField(String, undefined, '2026-11-22T10:00:01.000Z')
  readonly ended_at!: string | null;
}

export class ListedRunDto {
  @ApiProperty({ format: 'uuid' })
  readonly run_id!: string;
  @ApiProperty({ example: 1 })
  readonly workflow_id!: number;
  @ApiProperty({ example: 1 })
  readonly version!: number;
  @ApiProperty({ enum: RUN_STATUSES })
  readonly status!: string;
  @NullableField(String, undefined, '450')
  readonly amount_micro_usd!: string | null;
  @ApiProperty({ example: '2026-11-22T10:00:00.000Z' })
  readonly started_at!: string;
  @NullableField(String)
  readonly ended_at!: string | null;
}

export class RunListDto extends AnswerDto {
  @ApiProperty({ type: [ListedRunDto] })
  readonly runs!: readonly ListedRunDto[];
  @NullableField(String, 'For the next page; null: the last.')
  readonly next_after!: string | null;
}
