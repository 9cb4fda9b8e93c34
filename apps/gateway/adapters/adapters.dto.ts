import { ApiProperty } from '@nestjs/swagger';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { IntegerField, NumberField, TextField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const NAME_LENGTH_MAX = 256;
const PROMPT_LENGTH_MAX = 1_000_000;
const TOKENS_MAX = 10_000_000;
/** An id or a slug. */
const ADAPTER_NAME = /^[a-z0-9-]{1,64}$/;

export class InferAdapterDto {
  @TextField({
    example: 'pirate',
    description: 'The slug of an adapter, or its id.',
    matches: ADAPTER_NAME,
    expected: 'a slug or an id of the vault',
  })
  readonly adapter_id!: string;

  @TextField({ example: 'What is a hold?', minLength: 1, maxLength: PROMPT_LENGTH_MAX })
  readonly prompt!: string;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    example: 'quipu/nano',
    description:
      'A model that Quipu serves itself, with the weights that the adapter was made for. ' +
      'Default: the model of the adapter.',
    minLength: 1,
    maxLength: NAME_LENGTH_MAX,
  })
  readonly base_model?: string | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    description: 'Instructions.',
    maxLength: PROMPT_LENGTH_MAX,
  })
  readonly system?: string | null;

  @IntegerField({
    required: false,
    type: 'integer',
    nullable: true,
    description: 'Default: the `max_output` of the model.',
    minimum: 1,
    maximum: TOKENS_MAX,
  })
  readonly max_tokens?: number | null;

  @NumberField({
    required: false,
    type: Number,
    nullable: true,
    default: 0.7,
    minimum: 0,
    maximum: 2,
  })
  readonly temperature?: number | null;

  @IntegerField({
    required: false,
    type: 'integer',
    nullable: true,
    description: 'The same seed and request give the same text.',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
  })
  readonly seed?: number | null;
}

export class AdapterGainDto {
  @ApiProperty({ description: 'Mean -log p per token with the adapter, in nats.' })
  readonly loss!: number;
  @ApiProperty({ description: 'The same of the base model.' })
  readonly base_loss!: number;
  @ApiProperty({ description: 'The same of tokens drawn by their frequency in training.' })
  readonly frequency_loss!: number;
  @ApiProperty({ description: '`base_loss` less `loss`.' })
  readonly gain!: number;
  @ApiProperty({ description: 'Held-out tokens that were measured.' })
  readonly tokens!: number;
}

export class AdapterSampleDto {
  @ApiProperty()
  readonly prompt!: string;
  @ApiProperty({ description: 'At temperature 0.' })
  readonly answer!: string;
}

export class AdapterDto {
  @ApiProperty({ example: 'pirate', description: 'The slug of one that ships with Quipu.' })
  readonly adapter_id!: string;
  @ApiProperty({ example: 'pirate' })
  readonly slug!: string;
  @ApiProperty({ example: 'register' })
  readonly category!: string;
  @ApiProperty({ example: 'quipu/nano' })
  readonly base_model!: string;
  @ApiProperty({ description: 'Of the file of the base model.' })
  readonly base_sha256!: string;
  @ApiProperty({ example: 4 })
  readonly rank!: number;
  @ApiProperty({ example: 8, description: 'The product of the two matrices counts alpha / rank.' })
  readonly alpha!: number;
  @ApiProperty({ description: 'Of the weights (safetensors).' })
  readonly size_bytes!: number;
  @ApiProperty({ description: 'Of the weights, in lower-case hex.' })
  readonly sha256!: string;
  @ApiProperty({ enum: ['shipped', 'uploaded'] })
  readonly source!: 'shipped' | 'uploaded';
  @NullableField(String)
  readonly description!: string | null;
  @NullableField(
    AdapterGainDto,
    'Measured on held-out dialogues; null for uploads, which are not measured.',
  )
  readonly held_out!: AdapterGainDto | null;
  @NullableField(AdapterSampleDto)
  readonly sample!: AdapterSampleDto | null;
  @NullableField(String)
  readonly uploaded_at!: string | null;
}

export class AdapterUsageDto {
  @ApiProperty()
  readonly prompt_tokens!: number;
  @ApiProperty()
  readonly completion_tokens!: number;
  @ApiProperty()
  readonly total_tokens!: number;
}

export class AdapterAnswerDto {
  @ApiProperty({ example: 'success' })
  readonly status!: 'success';
  @ApiProperty()
  readonly request_id!: string;
  @ApiProperty({ example: 'Ahoy! A hold reserves part of yer balance. Yo ho ho!' })
  readonly output!: string;
  @ApiProperty({ example: 'stop', description: '`length` where the limit ended the answer.' })
  readonly finish_reason!: string;
  @ApiProperty({ example: 'quipu/nano' })
  readonly base_model!: string;
  @ApiProperty({ type: AdapterDto })
  readonly adapter!: AdapterDto;
  @ApiProperty({ type: AdapterUsageDto })
  readonly usage!: AdapterUsageDto;
  @NullableField(
    Number,
    'Measured: milliseconds to load the adapter and to put it on the weights. Null where it ' +
      'was in place.',
  )
  readonly swap_ms!: number | null;
  @ApiProperty({
    example: `embedded:quipu/nano@${'ab'.repeat(32)}`,
    description: 'The SHA-256 of the weights of the base model.',
  })
  readonly engine!: string;
}

export class VaultPageDto extends PageDto {
  @TextField({
    required: false,
    example: 'register',
    description: 'Only of this category.',
    maxLength: NAME_LENGTH_MAX,
  })
  readonly category?: string;

  @TextField({
    required: false,
    example: 'quipu/nano',
    description: 'Only for this model of the catalog.',
    maxLength: NAME_LENGTH_MAX,
  })
  readonly base_model?: string;
}

export class VaultDto extends PageOfListDto {
  @ApiProperty({ type: [AdapterDto] })
  readonly adapters!: AdapterDto[];
}

export class AdapterNameDto {
  @TextField({
    example: 'pirate',
    description: 'The slug of an adapter, or its id.',
    matches: ADAPTER_NAME,
    expected: 'a slug or an id of the vault',
  })
  readonly adapter_id!: string;
}

export class VaultAdapterDto extends AnswerDto {
  @ApiProperty({ type: AdapterDto })
  readonly adapter!: AdapterDto;
}

export class RemovedAdapterDto extends AnswerDto {
  @ApiProperty()
  readonly adapter_id!: string;
  @ApiProperty()
  readonly slug!: string;
}
