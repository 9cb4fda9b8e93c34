import { ApiProperty } from '@nestjs/swagger';
import { ArrayUnique } from 'class-validator';
import { AGENT_STEPS_MAX, AGENT_TOOLS_MAX } from '#events/agents/agent-session.events.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import {
  CursorField,
  FlagField,
  IntegerField,
  StringsField,
  TextField,
} from '../fields/request-fields.js';

export const GOAL_CHARACTERS_MAX = 32_000;
const STEPS_DEFAULT = 8;
const TOKENS_DEFAULT = 8_192;
const TOKENS_MAX = 10_000_000;
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

export const SESSION_STATUSES = [
  'running',
  'cancelling',
  'completed',
  'budget_exhausted',
  'failed',
  'cancelled',
] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

export class OrchestrateAgentDto {
  @TextField({
    minLength: 1,
    maxLength: GOAL_CHARACTERS_MAX,
    example: 'What is the balance of 1,250 USD after 19 percent of tax?',
  })
  readonly goal!: string;

  @TextField({
    example: 'quipu/mini',
    description: 'A model of `GET /v1/models` that plans.',
    minLength: 1,
    maxLength: 256,
  })
  readonly planner_model!: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: TOKENS_MAX,
    default: TOKENS_DEFAULT,
    description: 'The most tokens of all plans and tools together.',
  })
  readonly max_token_budget: number = TOKENS_DEFAULT;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: AGENT_STEPS_MAX,
    default: STEPS_DEFAULT,
    description: 'The most plans. The last one must be the answer.',
  })
  readonly max_steps: number = STEPS_DEFAULT;

  @StringsField({
    required: false,
    maxItems: AGENT_TOOLS_MAX,
    itemMatches: /^[a-z][a-z0-9_]{0,63}$/,
    expected: `at most ${AGENT_TOOLS_MAX} different names of tools`,
    example: ['calculator'],
    description: 'The tools that the agent may call, by name. Default: all of this gateway.',
  })
  @ArrayUnique({ message: 'different names of tools' })
  readonly tools?: string[];

  @FlagField({
    required: false,
    default: false,
    description: 'Answer at once, with the status `running`.',
  })
  readonly async: boolean = false;
}

export class AgentSessionsPageDto {
  @CursorField()
  readonly after?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: 'The number of sessions of a page.',
    fromText: true,
  })
  readonly limit: number = LIMIT_DEFAULT;
}

const SESSION_EXAMPLE = '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f';

export class AgentSessionDto {
  @ApiProperty({ example: SESSION_EXAMPLE })
  readonly session_id!: string;
  @NullableField(String, 'Null: it is no longer kept.')
  readonly goal!: string | null;
  @ApiProperty({ enum: SESSION_STATUSES })
  readonly status!: SessionStatus;
  @NullableField(
    String,
    '`answered`, `max_steps`, `max_token_budget`, `cancelled`, or the code of a failure. Null ' +
      'until the end.',
    'answered',
  )
  readonly stop_reason!: string | null;
  @ApiProperty({ example: 'quipu/mini' })
  readonly planner_model!: string;
  @ApiProperty({ example: 8 })
  readonly max_steps!: number;
  @ApiProperty({ example: 8_192 })
  readonly max_token_budget!: number;
  @ApiProperty({ example: 2, description: 'The plans so far.' })
  readonly total_steps!: number;
  @ApiProperty({
    type: [String],
    example: ['calculator'],
    description: 'The tools that were called, in order, as the log has them.',
  })
  readonly tools_executed!: readonly string[];
  @NullableField(String, 'The answer. Null without one, and when it is no longer kept.')
  readonly final_output!: string | null;
  @ApiProperty({ example: 640, description: 'The tokens of all plans and tools so far.' })
  readonly tokens_consumed!: number;
  @ApiProperty({ example: '2026-11-22T06:00:00.000Z' })
  readonly created_at!: string;
  @NullableField(String, undefined, '2026-11-22T06:00:04.000Z')
  readonly ended_at!: string | null;
}

const object = (description: string) => ({
  type: 'object' as const,
  additionalProperties: true,
  nullable: true,
  description,
});

export class AgentStepDto {
  @ApiProperty({ example: 1 })
  readonly step!: number;
  @ApiProperty({ enum: ['tool', 'answer', 'invalid'] })
  readonly action!: 'tool' | 'answer' | 'invalid';
  @NullableField(String, undefined, 'calculator')
  readonly tool!: string | null;
  @ApiProperty(object('What the planner said. Null: it is no longer kept.'))
  readonly plan!: object | null;
  @ApiProperty(
    object('What the planner gets to see of the call. Null: no call, or no longer kept.'),
  )
  readonly observation!: object | null;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: ['succeeded', 'failed', null],
    description: 'Of the call. Null: there is none, or it runs.',
  })
  readonly outcome!: 'succeeded' | 'failed' | null;
  @NullableField(String, 'Why the call failed.')
  readonly code!: string | null;
  @ApiProperty({ example: 310 })
  readonly prompt_tokens!: number;
  @ApiProperty({ example: 24 })
  readonly completion_tokens!: number;
  @ApiProperty({ enum: ['provider', 'counted'], description: 'Who counted the tokens.' })
  readonly usage_source!: 'provider' | 'counted';
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    example: { cache_read_tokens: 256, reasoning_tokens: 8 },
    description: 'The tokens among them of the classes that the rig states, each at its price.',
  })
  readonly token_classes!: Readonly<Record<string, number>>;
  @ApiProperty({
    type: [String],
    description: 'Why the charge is lower than the stated usage could mean, as for a chat.',
  })
  readonly usage_doubts!: readonly string[];
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number', nullable: true },
    description: 'The measurements of the tool; null for a missing one.',
  })
  readonly counters!: Readonly<Record<string, number | null>>;
}

export class OpenedAgentSessionDto extends AgentSessionDto {
  @ApiProperty({ type: [AgentStepDto] })
  readonly steps!: readonly AgentStepDto[];
}

export class AgentSessionListDto extends AnswerDto {
  @ApiProperty({ type: [AgentSessionDto], description: 'Newest first.' })
  readonly sessions!: readonly AgentSessionDto[];
  @NullableField(String, 'The `after` of the next page; null: this is the last one.')
  readonly next_after!: string | null;
}
