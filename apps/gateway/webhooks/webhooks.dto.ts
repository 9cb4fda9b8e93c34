import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsISO8601,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { NumberText } from '../bodies/number-text.js';
import { IsWebAddress } from '../bodies/web-address.js';

const URL_LENGTH_MAX = 2_048;
const TYPES_MAX = 50;
const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

export class CreateWebhookDto {
  @ApiProperty({ example: 'https://shop.example/hooks/quipu', maxLength: URL_LENGTH_MAX })
  @MaxLength(URL_LENGTH_MAX)
  @IsWebAddress()
  readonly url!: string;

  @ApiProperty({
    required: false,
    type: [String],
    default: [],
    maxItems: TYPES_MAX,
    example: ['invoice.completed'],
    description: 'The types to receive. Empty: all of them.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(TYPES_MAX)
  @IsString({ each: true, message: 'types must be a list of strings' })
  readonly types: readonly string[] = [];
}

export class WebhookIdDto {
  @ApiProperty({ format: 'uuid', description: 'The id of the webhook or of the delivery.' })
  @IsUUID('all', { message: 'id must be a UUID' })
  readonly id!: string;
}

export class WebhookDto {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;
  @ApiProperty({ type: String, nullable: true, description: 'Null after its user was erased.' })
  readonly url!: string | null;
  @ApiProperty({ type: [String], description: 'Empty: every type.' })
  readonly types!: readonly string[];
  @ApiProperty({ example: '2026-11-22T10:00:00.000Z' })
  readonly created_at!: string;
}

export class NewWebhookDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ type: WebhookDto })
  readonly webhook!: WebhookDto;
  @ApiProperty({ example: 'whsec_…', description: 'Only this answer shows it.' })
  readonly secret!: string;
}

export class WebhooksDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ type: [WebhookDto] })
  readonly webhooks!: readonly WebhookDto[];
  @ApiProperty({ type: [String], description: 'Every type that there is.' })
  readonly available_types!: readonly string[];
  @ApiProperty({ description: 'The log position that the answer reflects.', example: '42' })
  readonly position!: string;
}

export class DeliveriesPageDto {
  @ApiProperty({
    required: false,
    default: LIMIT_DEFAULT,
    minimum: 1,
    maximum: LIMIT_MAX,
    description: 'The deliveries of a page.',
  })
  @IsOptional()
  @NumberText()
  @IsInt({ message: 'limit must be an integer' })
  @Min(1, { message: 'limit must not be less than 1' })
  @Max(LIMIT_MAX, { message: `limit must not be above ${LIMIT_MAX}` })
  readonly limit: number = LIMIT_DEFAULT;

  @ApiProperty({
    required: false,
    type: String,
    description: 'The `queued_at` of the last delivery of the page before.',
  })
  @IsOptional()
  @IsISO8601({ strict: true }, { message: 'before must be an ISO 8601 instant' })
  @MaxLength(40)
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
  @ApiProperty({ type: Number, nullable: true, description: 'Of the last answer. Null: none.' })
  readonly status_code!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why there was no answer.' })
  readonly failure!: string | null;
  @ApiProperty({ example: '2026-11-22T10:00:00.000Z' })
  readonly queued_at!: string;
  @ApiProperty({ type: String, nullable: true, description: 'The last attempt.' })
  readonly attempted_at!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Null: there is no further one.' })
  readonly next_attempt_at!: string | null;
}

export class DeliveriesDto {
  @ApiProperty({ example: true })
  readonly success!: boolean;
  @ApiProperty({ type: [DeliveryDto] })
  readonly deliveries!: readonly DeliveryDto[];
  @ApiProperty({ description: 'The log position that the answer reflects.', example: '42' })
  readonly position!: string;
}
