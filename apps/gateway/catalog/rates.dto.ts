import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { PositionedAnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { IntegerField } from '../fields/request-fields.js';
import { AsOfDto } from '../time-travel/as-of.dto.js';
import { IsInstant } from '../fields/instant.validator.js';

const VERSION_MAX = 2_147_483_647;

export class RatesQueryDto extends AsOfDto {
  @IntegerField({
    required: false,
    minimum: 1,
    description: 'The version of the rate card. Default: the newest.',
    maximum: VERSION_MAX,
    fromText: true,
  })
  readonly version?: number;

  @ApiPropertyOptional({
    example: '2026-11-21T04:48:00Z',
    description:
      'The prices in force at this instant: ISO 8601 with `Z` or an offset, whose `+` is `%2B`. ' +
      'Not in the future, and not together with `version`.',
  })
  @IsOptional()
  @IsInstant({ message: 'an ISO 8601 instant such as 2026-11-21T04:48:00Z' })
  readonly at?: string;
}

export class RateCardDto {
  @ApiProperty({ example: 3, description: 'Each charge names the version that priced it.' })
  readonly version!: number;

  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly effective_from!: string;

  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly published_at!: string;

  @ApiProperty({
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'SHA-256 of the catalog file with these prices, in hexadecimal.',
  })
  readonly source_sha256!: string;

  @ApiProperty({
    example: 50,
    description: 'How much less a line of a batch costs than the same request without one.',
  })
  readonly batch_discount_percent!: number;
}

export class ModelRateDto {
  @ApiProperty({ example: 'quipu/nano' })
  readonly id!: string;

  @NullableField(String, 'Null: no longer served.', 'quipu')
  readonly owned_by!: string | null;

  @ApiProperty({ example: 0.05, description: 'USD per million tokens of the prompt.' })
  readonly input_usd_per_mtok!: number;

  @ApiProperty({ example: 0.1, description: 'USD per million tokens of the answer.' })
  readonly output_usd_per_mtok!: number;

  @NullableField(Number, 'The context length in tokens. Null: no longer served.', 1024)
  readonly context!: number | null;

  @NullableField(
    Number,
    'Tokens of an answer without max_tokens, at most. Null: no longer served.',
    256,
  )
  readonly max_output!: number | null;
}

export class ComputeRateDto {
  @ApiProperty({ example: 'local-vllm' })
  readonly rig!: string;

  @NullableField(String, 'Null: no longer served.', 'openai')
  readonly kind!: string | null;

  @ApiProperty({ example: 1.99, description: 'USD per hour.' })
  readonly hourly_usd!: number;
}

export class MeterRateDto {
  @ApiProperty({ example: 'synaptic_events', description: 'As in the lines of a statement.' })
  readonly meter!: string;

  @ApiProperty({ example: 0.02, description: 'USD per `per` units.' })
  readonly usd!: number;

  @ApiProperty({ example: 1_000_000 })
  readonly per!: number;
}

export class RatesDto extends PositionedAnswerDto {
  @ApiProperty({ example: 'USD' })
  readonly currency!: 'USD';

  @ApiProperty({ type: RateCardDto })
  readonly rate_card!: Readonly<RateCardDto>;

  @ApiProperty({ type: [ModelRateDto] })
  readonly models!: readonly Readonly<ModelRateDto>[];

  @ApiProperty({ type: [ComputeRateDto], description: 'The rigs with an hourly price.' })
  readonly compute!: readonly Readonly<ComputeRateDto>[];

  @ApiProperty({
    type: [MeterRateDto],
    description: 'Work that is counted in other units than the tokens of a model.',
  })
  readonly meters!: readonly Readonly<MeterRateDto>[];
}
