import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField, NullableInstant } from '../fields/answer-fields.js';
import { ChoiceField, IntegerField, ObjectsField, TextField } from '../fields/request-fields.js';
import {
  LifetimeField,
  LIFETIME_SEC_DEFAULT,
  type PriorityField,
  PriorityOption,
} from './dtn.dto.js';

const ROLES = ['system', 'user', 'assistant'] as const;
const MESSAGES_MAX = 32;
const CONTENT_LENGTH_MAX = 16_384;
const TOKENS_MAX = 4_096;
const TOKENS_DEFAULT = 256;

export class RemoteMessageDto {
  @ChoiceField(ROLES, { description: 'Who says it.' })
  readonly role!: (typeof ROLES)[number];

  @TextField({ maxLength: CONTENT_LENGTH_MAX, description: 'The text.', example: 'Hello!' })
  readonly content!: string;
}

export class RemoteOrderDto {
  @TextField({
    ...{ minLength: 1, maxLength: 255, example: 'dtn://sat-1/' },
    description: 'The node that is to answer; its key must be in `QUIPU_DTN_NODE_KEYS`.',
  })
  readonly node!: string;

  @ObjectsField(RemoteMessageDto, { minItems: 1, maxItems: MESSAGES_MAX })
  readonly messages!: readonly RemoteMessageDto[];

  @IntegerField({
    ...{ required: false, default: TOKENS_DEFAULT, minimum: 1, maximum: TOKENS_MAX },
    description: 'The tokens of the answer at most.',
  })
  readonly max_tokens: number = TOKENS_DEFAULT;

  @PriorityOption()
  readonly priority: PriorityField = 'normal';

  @LifetimeField('Without a receipt in this time the money is freed, for good.')
  readonly lifetime_seconds: number = LIFETIME_SEC_DEFAULT;
}

const STATUSES = ['travelling', 'completed', 'failed', 'expired'] as const;

class RemoteRequestDto {
  @ApiProperty({ example: '0d0c7f10-2b3a-5c4d-9e8f-1a2b3c4d5e6f' })
  readonly request_id!: string;
  @ApiProperty({ example: '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c' })
  readonly bundle_id!: string;
  @ApiProperty({ example: 'dtn://sat-1/' })
  readonly node!: string;
  @ApiProperty({ enum: STATUSES, description: '`travelling`: no receipt has come.' })
  readonly status!: (typeof STATUSES)[number];
  @ApiProperty({ example: 0.000_137, description: 'At most this is charged.' })
  readonly held_usd!: number;
  @NullableField(Number, 'Of the receipt. Null: none has come in time.', 12)
  readonly prompt_tokens!: number | null;
  @NullableField(Number, 'Of the receipt. Null: none has come in time.', 40)
  readonly completion_tokens!: number | null;
  @NullableField(String, 'The answer. Null: none.', 'Hello to you, too.')
  readonly content!: string | null;
  @ApiProperty({ description: 'Whether a receipt came after the expiry; it is free.' })
  readonly late_receipt!: boolean;
  @InstantField('When it was placed.')
  readonly placed_at!: string;
  @InstantField('When the money is freed without a receipt.')
  readonly expires_at!: string;
  @NullableInstant('When the receipt came. Null: none has come in time.')
  readonly settled_at!: string | null;
}

export class RemoteAnswerDto extends AnswerDto {
  @ApiProperty({ type: RemoteRequestDto })
  readonly request!: RemoteRequestDto;
}

export class GrantKeyDto extends AnswerDto {
  @ApiProperty({
    example: 'qnX3ZyW0w0V6m3k1u4dPz8Q5v7x9c2b4n6m8k0j1h3g',
    description: 'The Ed25519 key that signs grants: 32 bytes in base64url.',
  })
  readonly public_key!: string;
}
