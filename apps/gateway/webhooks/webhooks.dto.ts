import { ApiProperty } from '@nestjs/swagger';
import { IsISO8601, IsOptional, MaxLength, ValidateIf } from 'class-validator';
import { type MessageFormat } from '#events/webhooks/webhook.events.js';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import {
  ChoiceField,
  IntegerField,
  StringsField,
  TextField,
  UuidField,
} from '../fields/request-fields.js';
import { IsWebAddress } from '../bodies/web-address.js';

const URL_LENGTH_MAX = 2_048;
const TYPES_MAX = 50;
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

const URL_EXPECTED = `an http or https URL of at most ${URL_LENGTH_MAX} characters`;

export class CreateWebhookDto {
  @ApiProperty({
    required: false,
    example: 'https://shop.example/hooks/quipu',
    maxLength: URL_LENGTH_MAX,
    description: 'Required but for the format `mail`, which ignores it.',
  })
  @ValidateIf(({ format }: CreateWebhookDto) => format !== 'mail')
  @MaxLength(URL_LENGTH_MAX, { message: URL_EXPECTED })
  @IsWebAddress()
  readonly url?: string;

  @StringsField({
    required: false,
    default: [],
    maxItems: TYPES_MAX,
    example: ['invoice.completed'],
    description:
      'The types to receive: of `available_types`, and of `available_events`. Empty: all of ' +
      '`available_types`.',
  })
  readonly types: readonly string[] = [];

  @ChoiceField(['standard', 'slack', 'mail'], {
    required: false,
    default: 'standard',
    description:
      '`slack` for the address of an incoming webhook of Slack; `mail` for mails to the owner of ' +
      'the account (notifications only, where the operator has set a mail server).',
  })
  readonly format: MessageFormat = 'standard';
}

export class WebhookIdDto {
  @UuidField({ description: 'The id of the webhook or of the delivery.' })
  readonly id!: string;
}

export class WebhookDto {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;
  @NullableField(String, 'Null after its user was erased.')
  readonly url!: string | null;
  @ApiProperty({ type: [String], description: 'Empty: all of `available_types`.' })
  readonly types!: readonly string[];
  @ApiProperty({ enum: ['standard', 'slack', 'mail'] })
  readonly format!: MessageFormat;
  @ApiProperty({ example: '2026-11-22T10:00:00.000Z' })
  readonly created_at!: string;
}

export class NewWebhookDto extends AnswerDto {
  @ApiProperty({ type: WebhookDto })
  readonly webhook!: WebhookDto;
  @ApiProperty({ example: 'whsec_…', description: 'Only this answer shows it.' })
  readonly secret!: string;
}

export class WebhookTestDto extends AnswerDto {
  @ApiProperty({ format: 'uuid' })
  readonly delivery_id!: string;
}

export class WebhooksDto extends PositionedAnswerDto {
  @ApiProperty({ type: [WebhookDto] })
  readonly webhooks!: readonly WebhookDto[];
  @ApiProperty({ type: [String], description: 'Every type of notifications.' })
  readonly available_types!: readonly string[];
  @ApiProperty({ type: [String], description: 'The events of accounts, which go by their name.' })
  readonly available_events!: readonly string[];
}

const TYPE_LENGTH_MAX = 100;

export class MessageTypeParamDto {
  @TextField({ maxLength: TYPE_LENGTH_MAX, example: 'HoldCaptured', description: 'The type.' })
  readonly type!: string;
}

export class MessageTypeDto extends AnswerDto {
  @ApiProperty({ example: 'HoldCaptured' })
  readonly type!: string;
  @NullableField(Number, 'Of the event. Null for a notification, whose schema has no versions.', 1)
  readonly version!: number | null;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The JSON Schema (draft 2020-12) of the `data` of these messages.',
  })
  readonly schema!: Readonly<Record<string, unknown>>;
}

export class DeliveriesPageDto {
  @IntegerField({
    required: false,
    default: LIMIT_DEFAULT,
    minimum: 1,
    maximum: LIMIT_MAX,
    description: 'The deliveries of a page.',
    fromText: true,
  })
  readonly limit: number = LIMIT_DEFAULT;

  @ApiProperty({
    required: false,
    type: String,
    description: 'The `queued_at` of the last delivery of the page before.',
  })
  @IsOptional()
  @IsISO8601({ strict: true }, { message: 'an ISO 8601 instant' })
  @MaxLength(40, { message: 'an ISO 8601 instant' })
  readonly before?: string;
}

class DeliveryDto {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;
  @ApiProperty({ format: 'uuid' })
  readonly webhook_id!: string;
  @ApiProperty({ description: 'The header `webhook-id` of every attempt.' })
  readonly message_id!: string;
  @ApiProperty({ example: 'invoice.completed' })
  readonly type!: string;
  @ApiProperty({ enum: ['waiting', 'delivered', 'failed', 'cancelled'] })
  readonly status!: string;
  @ApiProperty({ example: 1 })
  readonly attempts!: number;
  @NullableField(Number, 'Of the last answer. Null: none.')
  readonly status_code!: number | null;
  @NullableField(String, 'Why there was no answer.')
  readonly failure!: string | null;
  @ApiProperty({ example: '2026-11-22T10:00:00.000Z' })
  readonly queued_at!: string;
  @NullableField(String, 'The last attempt.')
  readonly attempted_at!: string | null;
  @NullableField(String, 'Null: there is no further one.')
  readonly next_attempt_at!: string | null;
}

export class DeliveriesDto extends PositionedAnswerDto {
  @ApiProperty({ type: [DeliveryDto] })
  readonly deliveries!: readonly DeliveryDto[];
}
