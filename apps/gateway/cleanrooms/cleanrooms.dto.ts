import { ApiProperty } from '@nestjs/swagger';
import { ROOM_ACTIONS, type RoomActionName } from '#areas/cleanrooms/room-action.handler.js';
import { type CompositionRule, type Role, ROLES } from '#events/cleanrooms/cleanroom.events.js';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import {
  ChoiceField,
  IntegerField,
  NumberField,
  ObjectsField,
  StringsField,
  TextField,
  UuidField,
} from '../fields/request-fields.js';
import { PageDto } from '../pages/page.dto.js';

const PARTICIPANTS_MAX = 100;
const COLUMNS_MAX = 32;
const VALUES_MAX = 1_000;
const NUMBER_MAX = 999_999_999_999_999;

const AccountField = (): PropertyDecorator =>
  TextField({
    example: '7',
    description: 'The account: the id of its user.',
    matches: /^[a-z0-9][a-z0-9-]{0,63}$/,
    expected: 'the id of an account',
  });

const RoomField = (): PropertyDecorator =>
  TextField({
    description: 'The room.',
    matches: /^[0-9A-Za-z-]{1,64}$/,
    expected: 'the UUID of a room',
  });

export class ParticipantDto {
  @AccountField()
  readonly account_id!: string;

  @ChoiceField(ROLES, { description: 'A contributor deposits rows, an analyst asks.' })
  readonly role!: Role;
}

export class NewCleanroomDto {
  @TextField({ example: 'Wait times of three clinics', minLength: 1, maxLength: 100 })
  readonly name!: string;

  @NumberField({
    example: 4,
    minimum: 0,
    maximum: 1_000,
    decimalsMax: 9,
    description: 'The epsilon that all answers together may spend. It never changes.',
  })
  readonly total_epsilon!: number;

  @NumberField({
    required: false,
    default: 0,
    example: 0.000001,
    minimum: 0,
    maximum: 0.1,
    decimalsMax: 12,
    description: 'The delta at which `zcdp` converts to epsilon; 0 for `pure`.',
  })
  readonly total_delta: number = 0;

  @ChoiceField(['pure', 'zcdp'], {
    required: false,
    default: 'pure',
    description:
      'How answers add up: `pure` adds epsilons, `zcdp` adds the rho of zero-concentrated ' +
      'differential privacy.',
  })
  readonly composition_rule: CompositionRule = 'pure';

  @IntegerField({
    required: false,
    default: 2,
    minimum: 1,
    maximum: PARTICIPANTS_MAX,
    description: 'The accounts that must have rows in the room before a query is answered.',
  })
  readonly contributors_min: number = 2;

  @ObjectsField(ParticipantDto, { required: false, default: [], maxItems: PARTICIPANTS_MAX })
  readonly participants: readonly ParticipantDto[] = [];
}

export class ColumnDto {
  @TextField({
    example: 'age',
    matches: /^[a-z][a-z0-9_]{0,63}$/,
    expected: 'a letter, then up to 63 of a-z 0-9 _',
  })
  readonly name!: string;

  @ChoiceField(['category', 'number'])
  readonly kind!: 'category' | 'number';

  @StringsField({
    required: false,
    minItems: 1,
    maxItems: VALUES_MAX,
    itemLengthMax: 64,
    itemMatches: /./,
    example: ['north', 'south'],
    description: 'Of a category: every value that a row may have.',
  })
  readonly values?: readonly string[];

  @NumberField({
    required: false,
    example: 0,
    minimum: -NUMBER_MAX,
    maximum: NUMBER_MAX,
    decimalsMax: 9,
    description: 'Of a number.',
  })
  readonly minimum?: number;

  @NumberField({
    required: false,
    example: 120,
    minimum: -NUMBER_MAX,
    maximum: NUMBER_MAX,
    decimalsMax: 9,
    description: 'Of a number.',
  })
  readonly maximum?: number;

  @NumberField({
    required: false,
    default: 1,
    minimum: 0,
    maximum: NUMBER_MAX,
    decimalsMax: 9,
    description: 'Of a number: the grid of its values. Default 1.',
  })
  readonly step?: number;
}

export class RoomSchemaDto {
  /** Of all columns together: the JSON of more holds the event loop for too long. */
  static readonly valuesMax = 8_000;

  @ObjectsField(ColumnDto, { minItems: 1, maxItems: COLUMNS_MAX })
  readonly columns!: readonly ColumnDto[];
}

export class RoomActionDto {
  @ChoiceField(ROOM_ACTIONS, { description: 'What is asked of the enclave of the room.' })
  readonly action!: RoomActionName;

  @RoomField()
  readonly cleanroom_uuid!: string;

  @TextField({
    required: false,
    maxLength: 88,
    example: 'a-nonce-of-the-caller',
    description:
      'Of `attest_enclave`: 8 to 88 characters of ASCII. The evidence is bound to it. Default: ' +
      'the server draws one.',
  })
  readonly nonce?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    description: 'Of `deposit_encrypted_data`: the version of the schema of the room.',
  })
  readonly schema_version?: number;

  @TextField({
    required: false,
    maxLength: 16,
    example: '9f86d081884c7d65',
    description: 'Of `deposit_encrypted_data`: the key of an attestation that the caller has seen.',
  })
  readonly enclave_key_id?: string;

  @TextField({
    required: false,
    maxLength: 4_000_000,
    description:
      'Of `deposit_encrypted_data`: an HPKE message (RFC 9180) in base64, which is the ' +
      'encapsulated key and the ciphertext of a JSON object with `rows`. Its info is ' +
      '`quipu/cleanroom/1`, a line break and the room; its associated data are ' +
      '`quipu/deposit/1`, the room, the account and the version of the schema, a line each.',
  })
  readonly sealed_rows?: string;
}

export class RoomListQueryDto extends PageDto {
  @ChoiceField(['list'], { required: false, default: 'list', description: 'Lists the rooms.' })
  readonly action = 'list' as const;
}

export class RoomPathDto {
  @RoomField()
  readonly cleanroom_uuid!: string;
}

export class ParticipantPathDto extends ParticipantDto {
  @RoomField()
  readonly cleanroom_uuid!: string;
}

export class ContributionPathDto extends RoomPathDto {
  @UuidField({ description: 'The contribution.' })
  readonly contribution_id!: string;
}

export class CleanroomDto {
  @ApiProperty({ example: 1 })
  readonly id!: number;
  @ApiProperty({ example: '0198c0de-0000-5000-8000-000000000001' })
  readonly uuid!: string;
  @ApiProperty({ example: 'Wait times of three clinics' })
  readonly name!: string;
  @ApiProperty({ example: 'software', description: 'The attester of the enclave.' })
  readonly tee_type!: string;
  @ApiProperty({
    example: 'self_reported',
    description: 'Of the last attestation by this process.',
  })
  readonly attestation_status!: string;
  @ApiProperty({ example: 4, description: 'Rounded down to six decimals.' })
  readonly privacy_budget_total_epsilon!: number;
  @ApiProperty({
    example: 0.5,
    description: 'Rounded up to six decimals. Answers that are being computed count.',
  })
  readonly privacy_budget_spent_epsilon!: number;
  @ApiProperty({ example: 3.5, description: 'The total less the spent epsilon.' })
  readonly privacy_budget_remaining_epsilon!: number;
  @ApiProperty({ example: 3, description: 'Accounts in a role of the room.' })
  readonly participant_count!: number;
  @ApiProperty({ example: 1, description: 'Queries that were answered and paid from the budget.' })
  readonly computation_count!: number;
}

export class CleanroomListDto extends PositionedAnswerDto {
  @ApiProperty({ example: 1 })
  readonly total_cleanrooms!: number;
  @ApiProperty({ type: [CleanroomDto], description: 'By id.' })
  readonly cleanrooms!: readonly CleanroomDto[];
}

class OwnContributionDto {
  @ApiProperty({ example: '0198c0de-0000-7000-8000-000000000002' })
  readonly contribution_id!: string;
  @ApiProperty({ example: 1_000 })
  readonly rows!: number;
  @ApiProperty({ example: 1 })
  readonly schema_version!: number;
  @InstantField('When the rows were accepted.')
  readonly accepted_at!: string;
}

export class CleanroomDetailDto extends CleanroomDto {
  @ApiProperty({ example: '7', description: 'The account that administers the room.' })
  readonly owner_account_id!: string;
  @ApiProperty({ enum: ['pure', 'zcdp'] })
  readonly composition_rule!: CompositionRule;
  @ApiProperty({ example: 1, description: 'The version of the accountant.' })
  readonly composition_version!: number;
  @ApiProperty({ example: 0 })
  readonly privacy_budget_total_delta!: number;
  @ApiProperty({ example: 0, description: 'The part of the spent epsilon that may come back.' })
  readonly privacy_budget_reserved_epsilon!: number;
  @ApiProperty({ example: 2 })
  readonly contributors_min!: number;
  @ApiProperty({ example: 2, description: 'Accounts with rows in the room.' })
  readonly contributor_count!: number;
  @ApiProperty({ type: [ParticipantDto] })
  readonly participants!: readonly ParticipantDto[];
  @NullableField(Number, 'Null: no schema is registered.', 1)
  readonly schema_version!: number | null;
  @ApiProperty({ type: [ColumnDto] })
  readonly columns!: readonly ColumnDto[];
  @ApiProperty({ type: [OwnContributionDto], description: 'Of the caller alone.' })
  readonly contributions!: readonly OwnContributionDto[];
  @InstantField('When the room was created.')
  readonly created_at!: string;
}

export class CleanroomAnswerDto extends AnswerDto {
  @ApiProperty({ type: CleanroomDetailDto })
  readonly cleanroom!: CleanroomDetailDto;
}

class PcrMeasurementsDto {
  @ApiProperty({ example: 'a3f5…' })
  readonly pcr_0!: string;
  @ApiProperty({ example: 'b1c2…' })
  readonly pcr_2!: string;
  @ApiProperty({ example: 'c9d8…' })
  readonly pcr_7!: string;
}

export class RoomActionAnswerDto extends AnswerDto {
  @ApiProperty({ example: '0198c0de-0000-5000-8000-000000000001' })
  readonly cleanroom_uuid!: string;
  @ApiProperty({ required: false, example: 'Wait times of three clinics' })
  readonly cleanroom_name?: string;
  @ApiProperty({ required: false, enum: ['software', 'tpm2', 'aws_nitro'] })
  readonly tee_type?: string;
  @ApiProperty({
    required: false,
    enum: ['attested', 'self_reported', 'not_attested'],
    description: '`attested`: hardware evidence is valid and has an expected measurement.',
  })
  readonly attestation_status?: string;
  @ApiProperty({
    required: false,
    nullable: true,
    type: String,
    description: 'Why the status is not `attested`.',
  })
  readonly attestation_reason?: string | null;
  @ApiProperty({ required: false, enum: ['none', 'tpm2', 'aws_nitro'] })
  readonly hardware_root_of_trust?: string;
  @ApiProperty({ required: false, type: PcrMeasurementsDto, description: 'In hex.' })
  readonly pcr_measurements?: PcrMeasurementsDto;
  @ApiProperty({
    required: false,
    type: PcrMeasurementsDto,
    description: 'The subject of each register, which depends on the attester.',
  })
  readonly pcr_semantics?: PcrMeasurementsDto;
  @ApiProperty({ required: false, description: 'X25519, for HPKE.' })
  readonly enclave_public_key_pem?: string;
  @ApiProperty({
    required: false,
    description: 'An Entity Attestation Token in a JWS; `quipu attest verify` checks it.',
  })
  readonly verification_receipt?: string;
  @ApiProperty({ required: false, example: '9f86d081884c7d65' })
  readonly enclave_key_id?: string;
  @ApiProperty({ required: false, example: 'a-nonce-of-the-caller' })
  readonly nonce?: string;
  @ApiProperty({ required: false, enum: ['caller', 'server'] })
  readonly nonce_source?: string;
  @ApiProperty({ required: false, description: 'SHA-256 of the key that signs receipts, in hex.' })
  readonly receipt_signer_sha256?: string;
  @ApiProperty({ required: false, format: 'date-time' })
  readonly issued_at?: string;
  @ApiProperty({ required: false, format: 'date-time' })
  readonly expires_at?: string;
  @ApiProperty({ required: false, format: 'uuid' })
  readonly contribution_id?: string;
  @ApiProperty({ required: false, example: 1_000, description: 'Accepted rows.' })
  readonly rows?: number;
  @ApiProperty({ required: false, example: 1 })
  readonly schema_version?: number;
  @ApiProperty({ required: false, example: '100' })
  readonly charged_micro_usd?: string;
}
