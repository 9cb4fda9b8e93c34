import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';
import { PageOfListDto } from '../pages/page.dto.js';

const LIST_LENGTH_MAX = 4_194_304;
const SHA256 = { matches: /^[0-9a-f]{64}$/, expected: 'a SHA-256 in hexadecimal' };

export class PriceListDto {
  @TextField({
    minLength: 2,
    maxLength: LIST_LENGTH_MAX,
    description: 'The text of a price list of models.dev, OpenRouter or LiteLLM.',
  })
  readonly list!: string;

  @TextField({
    required: false,
    minLength: 1,
    maxLength: 128,
    description: 'Only the rows of this provider.',
    example: 'openai',
  })
  readonly provider?: string;
}

export class PublishedProposalDto extends PriceListDto {
  @TextField({
    ...SHA256,
    description: 'The `catalog_sha256` of the proposal: another catalog has another difference.',
  })
  readonly catalog_sha256!: string;
}

class PriceChangeDto {
  @ApiProperty({ example: 'input_usd_per_mtok' })
  readonly field!: string;
  @NullableField(String, 'In USD. Null: none before.', '0.05')
  readonly from!: string | null;
  @ApiProperty({ example: '0.06' })
  readonly to!: string;
}

class ProposedModelDto {
  @ApiProperty({ example: 'quipu/nano' })
  readonly model!: string;
  @NullableField(String, 'Its name in the list. Null: not found.', 'nano')
  readonly listed!: string | null;
  @ApiProperty({ type: [PriceChangeDto] })
  readonly changes!: readonly PriceChangeDto[];
  @ApiProperty({ type: [String], description: 'The parts of the list that are left out.' })
  readonly notes!: readonly string[];
  @NullableField(String, 'Why its price stays as it is. Null: it is taken over.')
  readonly problem!: string | null;
}

export class PriceProposalDto extends AnswerDto {
  @ApiProperty({ enum: ['models.dev', 'openrouter', 'litellm'] })
  readonly format!: string;
  @ApiProperty({ description: 'SHA-256 of the list.' })
  readonly sha256!: string;
  @ApiProperty({ description: 'SHA-256 of the catalog file that it would change.' })
  readonly catalog_sha256!: string;
  @ApiProperty({ description: 'Whether it has a price to publish.' })
  readonly is_changed!: boolean;
  @ApiProperty({ type: [ProposedModelDto], description: 'The models of the catalog.' })
  readonly models!: readonly ProposedModelDto[];
}

export class ProposalPublishedDto extends AnswerDto {
  @NullableField(String, 'The place of the rate card in the log.', '42')
  readonly position!: string | null;
}

class ProposedFromDto {
  @ApiProperty({ enum: ['models.dev', 'openrouter', 'litellm'] })
  readonly format!: string;
  @ApiProperty({ description: 'SHA-256 of the list.' })
  readonly sha256!: string;
}

class RateCardRowDto {
  @ApiProperty({ example: 3 })
  readonly version!: number;
  @InstantField('When its prices came into force.')
  readonly effective_from!: string;
  @InstantField('When it was published.')
  readonly published_at!: string;
  @ApiProperty({ example: 12, description: 'The models that it prices.' })
  readonly models!: number;
  @NullableField(ProposedFromDto, 'Null: its prices are from the catalog file.')
  readonly proposed_from!: ProposedFromDto | null;
}

export class RateCardListDto extends PageOfListDto {
  @ApiProperty({ type: [RateCardRowDto], description: 'The newest one first.' })
  readonly rate_cards!: readonly RateCardRowDto[];
}
