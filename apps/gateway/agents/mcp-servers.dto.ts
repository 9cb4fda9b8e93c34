import { ApiProperty } from '@nestjs/swagger';
import { IsOptional, MaxLength } from 'class-validator';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { ObjectField, TextField } from '../fields/request-fields.js';
import { IsWebAddress } from '../bodies/web-address.js';

const URL_LENGTH_MAX = 2_048;
const URL_EXPECTED = `an http or https URL of at most ${URL_LENGTH_MAX} characters`;
const SERVER_NAME = /^[a-z][a-z0-9]{0,23}$/;
const NAME_EXPECTED = '1 to 24 lower-case letters and digits, a letter first';
const DIGEST = '3f1c2a4b5d6e7f809182a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f8';

/** The client credentials grant. */
export class McpOAuthDto {
  @ApiProperty({
    example: 'https://login.example.com',
    description: 'The authorization server; the secret goes to no other one.',
  })
  @MaxLength(URL_LENGTH_MAX, { message: URL_EXPECTED })
  @IsWebAddress()
  readonly issuer!: string;

  @TextField({ minLength: 1, maxLength: 256, example: 'quipu' })
  readonly client_id!: string;

  @TextField({ minLength: 1, maxLength: 4_096, example: 's3cret' })
  readonly client_secret!: string;
}

export class RegisterMcpServerDto {
  @TextField({
    matches: SERVER_NAME,
    expected: NAME_EXPECTED,
    example: 'docs',
    description: 'The tools of the server are `<name>__<tool>`.',
  })
  readonly name!: string;

  @ApiProperty({
    example: 'https://mcp.example.com/mcp',
    maxLength: URL_LENGTH_MAX,
    description: 'Its Streamable HTTP endpoint.',
  })
  @MaxLength(URL_LENGTH_MAX, { message: URL_EXPECTED })
  @IsWebAddress()
  readonly url!: string;

  @TextField({
    required: false,
    matches: /^[\x21-\x7e]{1,4096}$/,
    expected: 'a token of at most 4096 visible characters',
    example: 'tok_123',
    description: 'Sealed; no answer has it.',
  })
  readonly bearer_token?: string;

  @ObjectField(McpOAuthDto, {
    required: false,
    description: 'In the place of `bearer_token`. Sealed; no answer has it.',
  })
  @IsOptional()
  readonly oauth?: McpOAuthDto;
}

export class McpServerNameDto {
  @TextField({
    matches: SERVER_NAME,
    expected: NAME_EXPECTED,
    example: 'docs',
    description: 'The name of the server.',
  })
  readonly server!: string;
}

export class McpToolNameDto extends McpServerNameDto {
  @TextField({
    matches: /^[a-z0-9_]{1,61}$/,
    expected: '1 to 61 lower-case letters, digits and underscores',
    example: 'search',
    description: 'As in `tools` of the server.',
  })
  readonly tool!: string;
}

export class ApproveMcpToolDto {
  @TextField({
    matches: /^[0-9a-f]{64}$/,
    expected: 'a SHA-256 in hex, as a refresh answers it',
    example: DIGEST,
    description: 'The `schema_sha256` of the description that was read.',
  })
  readonly schema_sha256!: string;
}

class McpServerToolDto {
  @ApiProperty({ example: 'search' })
  readonly name!: string;
  @ApiProperty({ example: 'docs__search', description: 'By which it is called.' })
  readonly called_as!: string;
  @ApiProperty({ enum: ['listed', 'allowed', 'quarantined'] })
  readonly status!: string;
  @ApiProperty({
    example: DIGEST,
    description: 'Of name, description, schemas and annotations: as the account knows them.',
  })
  readonly known_sha256!: string;
  @NullableField(
    String,
    'As the server describes it now. Null: it was not asked, or has it no more.',
  )
  readonly schema_sha256!: string | null;
  @NullableField(
    String,
    'The words of the server. Null with `schema_sha256`.',
    'Searches the docs.',
  )
  readonly description!: string | null;
  @NullableField(Object, 'JSON Schema of the server. Null with `schema_sha256`.', {
    type: 'object',
  })
  readonly input_schema!: object | null;
}

class McpServerDto {
  @ApiProperty({ example: 'docs' })
  readonly name!: string;
  @NullableField(String, 'Null after its user was erased.', 'https://mcp.example.com/mcp')
  readonly url!: string | null;
  @ApiProperty({ description: 'Whether it has a token or a client for OAuth.' })
  readonly has_credentials!: boolean;
  @ApiProperty({ type: [McpServerToolDto] })
  readonly tools!: readonly McpServerToolDto[];
  @InstantField('Its registration.')
  readonly registered_at!: string;
}

export class McpServerAnswerDto extends AnswerDto {
  @ApiProperty({ type: McpServerDto })
  readonly server!: McpServerDto;
}

export class McpServersDto extends PositionedAnswerDto {
  @ApiProperty({ type: [McpServerDto] })
  readonly servers!: readonly McpServerDto[];
}
