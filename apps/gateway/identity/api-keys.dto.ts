import { ApiProperty } from '@nestjs/swagger';
import { CACHE_SECONDS_MAX } from '#events/identity/api-key.events.js';
import {
  IP_RANGE,
  PATTERN,
  POLICY_ENTRIES_MAX,
  type Scope,
  SCOPES,
} from '#events/identity/key-policy.vocabulary.js';
import { OVERLAP_SECONDS_MAX } from '#areas/identity/keys/key-policy.js';
import { APP_NAME_LENGTH_MAX } from '#areas/identity/users/user-details.js';
import { NullableField, NullableInstant } from '../fields/answer-fields.js';
import {
  ChoiceField,
  ChoicesField,
  IntegerField,
  StringsField,
  TextField,
  TimeField,
} from '../fields/request-fields.js';

const KINDS = ['user', 'renter'] as const;

const LIST = { required: false, maxItems: POLICY_ENTRIES_MAX } as const;
const PATTERNS = {
  ...LIST,
  itemMatches: PATTERN,
  expected: `an array of at most ${POLICY_ENTRIES_MAX} texts, each with at most one * at its end`,
} as const;

/** The terms of a policy. Null is an absent field, and an empty list admits nothing. */
export class KeyPolicyDto {
  @ChoicesField(SCOPES, { required: false, example: ['inference', 'read_billing'] })
  readonly scopes?: readonly Scope[] | null;

  @StringsField({
    ...PATTERNS,
    example: ['quipu/nano'],
    description: 'The models that it may ask; a `*` at the end is any rest of a name.',
  })
  readonly models?: readonly string[] | null;

  @StringsField({
    ...PATTERNS,
    example: ['/v1/chat/completions'],
    description:
      'The addresses of routes as this document has them, with `:id` for `{id}`; a `*` at the ' +
      'end is any rest.',
  })
  readonly routes?: readonly string[] | null;

  @StringsField({
    ...LIST,
    itemMatches: IP_RANGE,
    expected: `an array of at most ${POLICY_ENTRIES_MAX} ranges such as 192.0.2.0/24`,
    example: ['192.0.2.0/24'],
    description: 'The addresses that it may be used from.',
  })
  readonly ip_ranges?: readonly string[] | null;

  @TimeField({ required: false, description: 'The key is invalid from this instant on.' })
  readonly expires_at?: string | null;
}

export class RotateApiKeyDto {
  @IntegerField({
    required: false,
    minimum: 0,
    maximum: OVERLAP_SECONDS_MAX,
    default: 0,
    example: 3600,
    description: 'How long the old key stays valid, in seconds.',
  })
  readonly overlap_seconds: number = 0;
}

export class IssueApiKeyDto extends KeyPolicyDto {
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
  @ApiProperty({ enum: SCOPES, isArray: true, example: ['inference'] })
  readonly scopes!: readonly string[];
  @NullableField([String], 'Null: every model.', ['quipu/nano'])
  readonly models!: readonly string[] | null;
  @NullableField([String], 'Null: every route of its scopes.', ['/v1/chat/completions'])
  readonly routes!: readonly string[] | null;
  @NullableField([String], 'Null: every address.', ['192.0.2.0/24'])
  readonly ip_ranges!: readonly string[] | null;
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

export class UsedApiKeyDto extends ApiKeyDto {
  @NullableInstant('When the last paid request began. Null: there was none.')
  readonly last_used_at!: string | null;
  @ApiProperty({ example: 0.42, description: 'All charges, without later corrections.' })
  readonly charged_usd!: number;
}

export class ApiKeysDto {
  @ApiProperty({ enum: [true] })
  readonly success!: true;
  @ApiProperty({ type: [UsedApiKeyDto] })
  readonly keys!: readonly UsedApiKeyDto[];
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
