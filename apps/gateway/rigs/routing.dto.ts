import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField, NullableInstant } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';

export class RoutingQueryDto {
  @TextField({
    required: false,
    maxLength: 128,
    description: 'A model of the catalog, whose rigs are ranked.',
    example: 'quipu/nano',
  })
  readonly model?: string;
}

export class RoutedRigDto {
  @ApiProperty({ example: 'built-in' })
  readonly rig!: string;

  @NullableField(String, 'Null: in none.', 'uk')
  readonly region!: string | null;

  @ApiProperty({
    enum: ['closed', 'open', 'half-open'],
    description: '`open`: it is asked nothing. `half-open`: one request is on trial.',
  })
  readonly breaker!: 'closed' | 'open' | 'half-open';

  @NullableInstant('Since when. Null: since this gateway began to ask the rig.')
  readonly breaker_since!: string | null;

  @NullableInstant('When an open breaker lets a trial pass. Null: it is not open.')
  readonly trial_at!: string | null;

  @ApiProperty({ example: 0.19, description: 'The share of recent requests that failed.' })
  readonly error_rate!: number;

  @NullableField(String, 'The kind of the last failure. Null: none was seen.', 'timed-out')
  readonly last_failure!: string | null;

  @ApiProperty({ example: 3 })
  readonly in_flight!: number;

  @ApiProperty({ example: 64 })
  readonly max_concurrency!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'By model, the moving average of this gateway’s streams. Empty: not measured.',
  })
  readonly first_token_ms!: Readonly<Record<string, number>>;
}

class TokenCostDto {
  @ApiProperty({ example: 0.05 })
  readonly input_usd_per_mtok!: number;

  @ApiProperty({ example: 0.1 })
  readonly output_usd_per_mtok!: number;
}

class ScorePartsDto {
  @ApiProperty({ example: 0.25 })
  readonly load!: number;
  @ApiProperty({ example: 0.05 })
  readonly first_token!: number;
  @ApiProperty({ example: 0 })
  readonly errors!: number;
  @ApiProperty({ example: 0 })
  readonly breaker!: number;
  @ApiProperty({ example: 0 })
  readonly region!: number;
  @ApiProperty({ example: 0.5 })
  readonly price!: number;
}

export class RankedRigDto {
  @ApiProperty({ example: 'built-in' })
  readonly rig!: string;

  @ApiProperty({
    type: String,
    enum: ['down', 'full', null],
    nullable: true,
    description: 'Why it would not be asked now. Null: it would be, in its turn.',
  })
  readonly absence!: 'down' | 'full' | null;

  @ApiProperty({ example: 0.8, description: 'The sum of its parts; the lowest is asked first.' })
  readonly score!: number;

  @ApiProperty({ type: ScorePartsDto })
  readonly parts!: ScorePartsDto;

  @ApiProperty({ example: 1, description: 'By which equals are drawn.' })
  readonly weight!: number;

  @NullableField(TokenCostDto, 'The purchase price of the model there. Null: unknown.')
  readonly cost!: TokenCostDto | null;
}

export class ModelRankingDto {
  @ApiProperty({ example: 'quipu/nano' })
  readonly model!: string;

  @ApiProperty({ type: TokenCostDto, description: 'Of the model, whatever rig answers.' })
  readonly price!: TokenCostDto;

  @ApiProperty({ type: [RankedRigDto], description: 'The best one first.' })
  readonly rigs!: readonly RankedRigDto[];
}

export class RoutingDto extends AnswerDto {
  @ApiProperty({ type: [RoutedRigDto], description: 'As this gateway sees them.' })
  readonly rigs!: readonly RoutedRigDto[];

  @ApiProperty({ type: [String], example: ['quipu/nano'], description: 'Of the catalog.' })
  readonly models!: readonly string[];

  @NullableField(ModelRankingDto, 'Null: the request names no model.')
  readonly ranking!: ModelRankingDto | null;
}
