import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

const VERSION_MAX = 2_147_483_647;

export class RatesQueryDto {
  @ApiPropertyOptional({ minimum: 1, description: 'A rate card of the past; default: the newest.' })
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'version must be an integer' })
  @Min(1, { message: 'version must not be less than 1' })
  @Max(VERSION_MAX, { message: `version must not be above ${VERSION_MAX}` })
  readonly version?: number;
}

export class RateCardDto {
  @ApiProperty({ example: 3, description: 'Charges name the version that they were priced by.' })
  readonly version!: number;

  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly effective_from!: string;

  @ApiProperty({ example: '2026-01-01T00:00:00.000Z' })
  readonly published_at!: string;

  @ApiProperty({
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    description: 'Of the catalog file that the prices were read from.',
  })
  readonly source_sha256!: string;
}

export class ModelRateDto {
  @ApiProperty({ example: 'quipu/nano' })
  readonly id!: string;

  @ApiProperty({
    type: String,
    example: 'quipu',
    nullable: true,
    description: 'null: no longer served.',
  })
  readonly owned_by!: string | null;

  @ApiProperty({ example: 0.05, description: 'USD for a million prompt tokens.' })
  readonly input_usd_per_mtok!: number;

  @ApiProperty({ example: 0.1, description: 'USD for a million answered tokens.' })
  readonly output_usd_per_mtok!: number;

  @ApiProperty({
    type: Number,
    example: 1024,
    nullable: true,
    description: 'Tokens; null: no longer served.',
  })
  readonly context!: number | null;

  @ApiProperty({
    type: Number,
    example: 256,
    nullable: true,
    description: 'Tokens of an answer whose caller sets no bound; null: no longer served.',
  })
  readonly max_output!: number | null;
}

export class ComputeRateDto {
  @ApiProperty({ example: 'local-vllm' })
  readonly rig!: string;

  @ApiProperty({
    type: String,
    example: 'openai',
    nullable: true,
    description: 'null: no longer served.',
  })
  readonly kind!: string | null;

  @ApiProperty({ example: 1.99 })
  readonly hourly_usd!: number;
}

export class RatesDto {
  @ApiProperty({ example: true })
  readonly success!: true;

  @ApiProperty({ example: 'USD' })
  readonly currency!: 'USD';

  @ApiProperty({ type: RateCardDto })
  readonly rate_card!: Readonly<RateCardDto>;

  @ApiProperty({ type: [ModelRateDto] })
  readonly models!: readonly Readonly<ModelRateDto>[];

  @ApiProperty({ type: [ComputeRateDto], description: 'Rigs that are rented by the hour.' })
  readonly compute!: readonly Readonly<ComputeRateDto>[];

  @ApiProperty({ example: '42', description: 'The log position that this reflects.' })
  readonly position!: string;
}
