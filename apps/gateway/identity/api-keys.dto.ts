import { ApiProperty } from '@nestjs/swagger';
import { CACHE_SECONDS_MAX } from '#events/identity/api-key.events.js';
import { APP_NAME_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, IntegerField, TextField } from '../fields/request-fields.js';

const KINDS = ['user', 'renter'] as const;

export class IssueApiKeyDto {
  @TextField({ example: 'nightly batch', maxLength: APP_NAME_LENGTH_MAX, minLength: 1 })
  readonly name!: string;

  @ChoiceField(KINDS, { required: false, default: 'user' })
  readonly kind: (typeof KINDS)[number] = 'user';

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: CACHE_SECONDS_MAX,
    example: 600,
    description:
      'How long answers to chats with the key are kept for the same request again, in seconds, ' +
      'where the request does not say (`x-quipu-cache`). Default: they are not kept.',
  })
  readonly cache_seconds?: number;
}

export class ApiKeyIdDto {
  @TextField({
    example: '2b9ac6a26d6d9ca1',
    description: 'The id of the key.',
    matches: /^[0-9a-f]{16}$/,
    expected: 'the id of a key: 16 hex digits',
  })
  readonly id!: string;
}

export class ApiKeyDto {
  @ApiProperty({ example: '2b9ac6a26d6d9ca1' })
  readonly id!: string;
  @ApiProperty({ enum: KINDS })
  readonly kind!: string;
  @ApiProperty({ example: 'nightly batch' })
  readonly name!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'uuid',
    description: 'The session with which the key expires. Null: none.',
  })
  readonly session_id!: string | null;
  @ApiProperty({ example: '2026-11-21 04:48:00', description: 'UTC.' })
  readonly created_at!: string;
  @NullableField(String, 'UTC. Null: never.')
  readonly expires_at!: string | null;
  @NullableField(Number, 'How long answers to the key are kept. Null: they are not.', 600)
  readonly cache_seconds!: number | null;
}

export class ApiKeysDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({ type: [ApiKeyDto] })
  readonly keys!: readonly ApiKeyDto[];
  @ApiProperty({
    description: 'How many events of the log the answer reflects, for `asOf`.',
    example: '42',
  })
  readonly position!: string;
}

export class NewApiKeyDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({ example: 'sk-svc-…', description: 'Only this answer shows it.' })
  readonly api_key!: string;
  @ApiProperty({ type: ApiKeyDto })
  readonly key!: ApiKeyDto;
}
