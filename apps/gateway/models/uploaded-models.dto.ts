import { ApiProperty } from '@nestjs/swagger';
import { CHAT_TEMPLATES, type ChatTemplate } from '#areas/models/model-import.engine.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, IntegerField, ObjectField, TextField } from '../fields/request-fields.js';

const FILE = { minLength: 1, maxLength: 128 } as const;
const SLUG = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;
const TOKENS_MAX = 1_048_576;

export class UploadedModelCardDto {
  @TextField({ minLength: 1, maxLength: 128, example: 'Acme tiny' })
  readonly name!: string;

  @TextField({
    minLength: 1,
    maxLength: 128,
    example: 'Apache-2.0',
    description: 'An identifier of SPDX, or the name of another licence.',
  })
  readonly licence!: string;

  @TextField({
    minLength: 1,
    maxLength: 512,
    example: 'https://example.org/acme-tiny',
    description: 'Where the weights come from.',
  })
  readonly source!: string;

  @TextField({
    required: false,
    minLength: 1,
    maxLength: 256,
    example: 'quipu/nano',
    description: 'A model of the catalog that has the same tokens; it is compared.',
  })
  readonly base_tokenizer?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: TOKENS_MAX,
    description: 'Tokens of the context, at most what the file states. Default: as it states.',
  })
  readonly context_length?: number;

  @ChoiceField(CHAT_TEMPLATES, {
    required: false,
    description:
      'How messages are written: no template of a file runs. Default: the one of these that the ' +
      'file has; where it has none, `chatml` if it has the tokens of it.',
  })
  readonly chat_template?: ChatTemplate;
}

export class ImportModelDto {
  @TextField({
    matches: SLUG,
    expected: '1 to 64 of a-z, digits, and ".", "_", "-" inside',
    example: 'acme-tiny',
    description: 'The second part of the name of the model; the first one is the account.',
  })
  readonly name!: string;

  @TextField({
    ...FILE,
    example: 'file-0123456789abcdef0123456789abcdef',
    description: 'The id of a file of `/v1/files`: GGUF or safetensors, of Llama architecture.',
  })
  readonly file!: string;

  @TextField({
    ...FILE,
    required: false,
    description: 'The id of the `config.json` of safetensors.',
  })
  readonly config_file?: string;

  @TextField({
    ...FILE,
    required: false,
    description: 'The id of the `tokenizer.json` of safetensors.',
  })
  readonly tokenizer_file?: string;

  @ObjectField(UploadedModelCardDto)
  readonly card!: UploadedModelCardDto;
}

class StoredCardDto {
  @ApiProperty({ example: 'Acme tiny' })
  readonly name!: string;
  @ApiProperty({ example: 'Apache-2.0' })
  readonly licence!: string;
  @ApiProperty({ example: 'https://example.org/acme-tiny' })
  readonly source!: string;
  @NullableField(String)
  readonly base_tokenizer!: string | null;
}

export class ImportedModelDto extends AnswerDto {
  @ApiProperty({ description: 'As requests name it: the account, a slash, and its name.' })
  readonly model!: string;
  @ApiProperty({ enum: ['gguf', 'safetensors'] })
  readonly format!: 'gguf' | 'safetensors';
  @ApiProperty({ example: 967_808 })
  readonly parameters!: number;
  @ApiProperty({ example: ['F16', 'F32'], type: [String] })
  readonly tensor_formats!: readonly string[];
  @ApiProperty({ example: 1_024 })
  readonly context_length!: number;
  @ApiProperty({ enum: CHAT_TEMPLATES })
  readonly chat_template!: ChatTemplate;
  @ApiProperty({ example: 1_954_880, description: 'Of the GGUF file that is kept.' })
  readonly bytes!: number;
  @ApiProperty({ description: 'Of the GGUF file that is kept, in hex.' })
  readonly sha256!: string;
  @ApiProperty({
    example: 'quipu/nano',
    description: 'The model of the catalog by whose price a token of it is charged.',
  })
  readonly priced_as!: string;
  @ApiProperty({ example: 0.05 })
  readonly input_usd_per_mtok!: number;
  @ApiProperty({ example: 0.1 })
  readonly output_usd_per_mtok!: number;
  @ApiProperty({ type: StoredCardDto })
  readonly card!: StoredCardDto;
}
