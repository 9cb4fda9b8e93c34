import { ApiProperty, OmitType } from '@nestjs/swagger';
import { TEXT_LENGTH_MAX } from '#areas/vaults/chunks.js';
import { NAME_LENGTH_MAX } from '#areas/vaults/change-vault.handlers.js';
import { TITLE_LENGTH_MAX } from '#areas/vaults/vault-ingest.js';
import { QUERY_LENGTH_MAX, TOP_DEFAULT, TOP_MAX } from '#areas/vaults/vault-search.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { ChoiceField, IntegerField, TextField, UuidField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const VAULT = '7d1f0c52-1d3e-5f6a-8b9c-0d1e2f3a4b5c';
const DOCUMENT = '0b8f6f1e-6a43-5b0e-9c8d-2f6f5a3e7d10';
const MARKING_LENGTH_MAX = 600;
const ACTIONS = ['search', 'ingest'] as const;
const INDEXES = ['exact', 'hnsw'] as const;

const MarkingField = (description: string, options: object = {}): PropertyDecorator =>
  TextField({
    required: false,
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: MARKING_LENGTH_MAX,
    description,
    ...options,
  });

export class VaultActionDto {
  @ChoiceField(ACTIONS, { description: 'What to do with the vault.', example: 'search' })
  readonly action!: (typeof ACTIONS)[number];

  @UuidField({ description: 'A vault of the account.', example: VAULT })
  readonly vault_uuid!: string;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    maxLength: QUERY_LENGTH_MAX,
    description: 'For a search: what to look for, in words.',
    example: 'Who signs the contract?',
  })
  readonly query?: string | null;

  @IntegerField({
    required: false,
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: TOP_MAX,
    description: `For a search: the most results. ${TOP_DEFAULT} by default.`,
  })
  readonly top_k?: number | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: TITLE_LENGTH_MAX,
    description: 'For an ingest: the title of the document. `Untitled` by default.',
  })
  readonly document_title?: string | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    maxLength: TEXT_LENGTH_MAX,
    description: 'For an ingest: the text of the document.',
  })
  readonly payload_text?: string | null;

  @MarkingField(
    'For an ingest: a level, then // and compartments with / between them, such as ' +
      '`SECRET//ALPHA`. The caller must be cleared for it. The lowest level by default.',
  )
  readonly classification_marking?: string | null;
}

class VaultResultDto {
  @ApiProperty({ example: DOCUMENT })
  readonly document_id!: string;
  @ApiProperty({ example: 'Contract of March' })
  readonly document_title!: string;
  @ApiProperty({ example: 'UNCLASSIFIED' })
  readonly classification_marking!: string;
  @ApiProperty({ example: 0, description: 'The place of the chunk in its document, from 0.' })
  readonly chunk!: number;
  @ApiProperty({ description: 'The text of the chunk.' })
  readonly text!: string;
  @ApiProperty({ example: 0.71, description: 'The cosine of the query and the chunk.' })
  readonly score!: number;
}

export class VaultSearchResultDto extends AnswerDto {
  @ApiProperty({ enum: ['search'] })
  readonly action!: 'search';
  @ApiProperty({ example: VAULT })
  readonly vault_uuid!: string;
  @ApiProperty({ type: [VaultResultDto], description: 'The best first.' })
  readonly results!: readonly VaultResultDto[];
  @ApiProperty({ example: 5 })
  readonly total_results!: number;
  @ApiProperty({ enum: INDEXES, description: '`hnsw`: a graph has searched a part of the vault.' })
  readonly index!: (typeof INDEXES)[number];
  @ApiProperty({
    example: 1,
    description: 'Recall of the best ten, as measured on the graph; 1 for an exact search.',
  })
  readonly recall!: number;
  @ApiProperty({
    example: 128,
    description: 'The chunks that the caller may see. They are charged.',
  })
  readonly vectors_searched!: number;
  @ApiProperty({ example: 'UNCLASSIFIED', description: 'The clearance that was in force.' })
  readonly clearance!: string;
  @ApiProperty({ example: 'quipu-embed-768' })
  readonly model!: string;
  @ApiProperty({ example: 9, description: 'Tokens of the query.' })
  readonly prompt_tokens!: number;
}

export class VaultIngestResultDto extends AnswerDto {
  @ApiProperty({ enum: ['ingest'] })
  readonly action!: 'ingest';
  @ApiProperty({ example: VAULT })
  readonly vault_uuid!: string;
  @ApiProperty({ example: DOCUMENT })
  readonly document_id!: string;
  @ApiProperty({ enum: ['ingested', 'queued'], description: '`queued`: a job ingests it.' })
  readonly status!: 'ingested' | 'queued';
  @NullableField(String, 'The job of a long document.')
  readonly job_id!: string | null;
  @ApiProperty({ example: 'UNCLASSIFIED' })
  readonly classification_marking!: string;
  @ApiProperty({ example: 3 })
  readonly chunks!: number;
  @NullableField(Number, 'Tokens that were embedded. Null: the job counts them.', 412)
  readonly prompt_tokens!: number | null;
}

export class NewVaultDto {
  @TextField({ minLength: 1, maxLength: NAME_LENGTH_MAX, example: 'Contracts' })
  readonly name!: string;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    minLength: 1,
    maxLength: 256,
    description: 'An embedding model of GET /v1/models; it cannot be changed later.',
    example: 'quipu-embed-768',
  })
  readonly model?: string | null;
}

export class VaultIdDto {
  @UuidField({ description: 'The id of the vault.', example: VAULT })
  readonly id!: string;
}

export class VaultDocumentIdDto extends VaultIdDto {
  @UuidField({ description: 'The id of the document.', example: DOCUMENT })
  readonly document_id!: string;
}

class VectorVaultDto {
  @ApiProperty({ example: VAULT })
  readonly vault_uuid!: string;
  @NullableField(String, 'Null: the user who created it was erased.', 'Contracts')
  readonly name!: string | null;
  @ApiProperty({ example: 'quipu-embed-768' })
  readonly model!: string;
  @InstantField('When the vault was created.')
  readonly created_at!: string;
}

export class VectorVaultPageDto extends OmitType(PageDto, ['asOf']) {}

export class VaultListDto extends PageOfListDto {
  @ApiProperty({ type: [VectorVaultDto], description: 'Newest first.' })
  readonly vaults!: readonly VectorVaultDto[];
}

class VaultDetailDto extends VectorVaultDto {
  @ApiProperty({ example: 'UNCLASSIFIED', description: 'The clearance of the caller.' })
  readonly clearance!: string;
  @ApiProperty({ example: 12, description: 'That the caller may see.' })
  readonly documents!: number;
  @ApiProperty({ example: 128, description: 'Of these documents.' })
  readonly chunks!: number;
  @ApiProperty({ example: 70_000, description: 'Of their texts.' })
  readonly text_bytes!: number;
  @ApiProperty({ example: 500_000, description: 'Of their texts and vectors.' })
  readonly stored_bytes!: number;
  @ApiProperty({ example: 1, description: 'The number of the key; a rotation raises it.' })
  readonly key_generation!: number;
  @ApiProperty({ description: 'Whether content is still sealed with the key before.' })
  readonly is_rotating!: boolean;
}

export class VaultAnswerDto extends AnswerDto {
  @ApiProperty({ type: VaultDetailDto })
  readonly vault!: VaultDetailDto;
}

class VaultDocumentDto {
  @ApiProperty({ example: DOCUMENT })
  readonly document_id!: string;
  @ApiProperty({ example: 'Contract of March' })
  readonly document_title!: string;
  @ApiProperty({ example: 'UNCLASSIFIED' })
  readonly classification_marking!: string;
  @ApiProperty({ example: 3 })
  readonly chunks!: number;
  @ApiProperty({ example: 1_800 })
  readonly text_bytes!: number;
  @ApiProperty({ example: 11_066, description: 'Of its text and vectors; they were charged.' })
  readonly stored_bytes!: number;
  @InstantField('When the document was ingested.')
  readonly ingested_at!: string;
}

export class VaultDocumentListDto extends OmitType(PageOfListDto, ['position']) {
  @ApiProperty({ type: [VaultDocumentDto], description: 'Newest first.' })
  readonly documents!: readonly VaultDocumentDto[];
}

export class VaultDocumentAnswerDto extends AnswerDto {
  @ApiProperty({ type: VaultDocumentDto })
  readonly document!: VaultDocumentDto;
}

export class VaultClearanceDto extends AnswerDto {
  @ApiProperty({ example: 'SECRET//ALPHA', description: 'The clearance of the caller.' })
  readonly clearance!: string;
}

export class ClearedAccountDto {
  @TextField({
    matches: /^[a-z0-9][a-z0-9-]{0,63}$/,
    expected: 'the id of an account',
    description: 'The account.',
    example: '7',
  })
  readonly account_id!: string;
}

export class SetClearanceDto {
  @MarkingField('A level and compartments. Null withdraws the clearance.', {
    example: 'SECRET//ALPHA',
  })
  readonly clearance?: string | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    matches: /^[0-9a-f]{16}$/,
    expected: 'the id of an API key',
    description: 'A key of the account, which is then cleared for no more. Default: the account.',
  })
  readonly key_id?: string | null;
}

export class ClearanceSetDto extends AnswerDto {
  @ApiProperty({ example: '7' })
  readonly account_id!: string;
  @NullableField(String, 'Null: the account.')
  readonly key_id!: string | null;
  @NullableField(String, 'Null: it was withdrawn.', 'SECRET//ALPHA')
  readonly clearance!: string | null;
}
