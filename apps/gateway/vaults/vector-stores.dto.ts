import { ApiProperty } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';
import { ItemListDto } from '../pages/item-page.js';

const STORE = 'vs_7d1f0c521d3e5f6a8b9c0d1e2f3a4b5c';
const FILE = 'file-0123456789abcdef0123456789abcdef';
const ID = /^[A-Za-z0-9_-]{1,64}$/;
const SECONDS = { description: 'In seconds since the Unix epoch.', example: 1_772_355_600 };
const PAIRS = { type: 'object', additionalProperties: true } as const;

export class VectorStoreIdDto {
  @TextField({
    description: 'The id of the vector store.',
    example: STORE,
    matches: ID,
    expected: 'the id of a vector store',
  })
  readonly vector_store_id!: string;
}

export class VectorStoreFileIdDto extends VectorStoreIdDto {
  @TextField({
    description: 'The id of the file; of a document without a file its own id.',
    example: FILE,
    matches: ID,
    expected: 'the id of a file',
  })
  readonly file_id!: string;
}

class FileCountsDto {
  @ApiProperty({ enum: [0], type: Number, description: 'A file is ready once it is attached.' })
  readonly in_progress!: 0;
  @ApiProperty({ example: 3 })
  readonly completed!: number;
  @ApiProperty({ enum: [0], type: Number })
  readonly failed!: 0;
  @ApiProperty({ enum: [0], type: Number })
  readonly cancelled!: 0;
  @ApiProperty({ example: 3 })
  readonly total!: number;
}

export class VectorStoreDto {
  @ApiProperty({ example: STORE })
  readonly id!: string;
  @ApiProperty({ enum: ['vector_store'] })
  readonly object!: 'vector_store';
  @ApiProperty(SECONDS)
  readonly created_at!: number;
  @ApiProperty({ example: 'Contracts' })
  readonly name!: string;
  @ApiProperty({ example: 500_000, description: 'Of texts and vectors that the caller may see.' })
  readonly usage_bytes!: number;
  @ApiProperty({ type: FileCountsDto })
  readonly file_counts!: FileCountsDto;
  @ApiProperty({ enum: ['completed'] })
  readonly status!: 'completed';
  @NullableField(Number, 'Null: a vault does not tell who used it.')
  readonly last_active_at!: null;
  @ApiProperty(PAIRS)
  readonly metadata!: Readonly<Record<string, string>>;
}

export class VectorStoreListDto extends ItemListDto<VectorStoreDto> {
  @ApiProperty({ type: [VectorStoreDto] })
  readonly data!: readonly VectorStoreDto[];
}

export class DeletedVectorStoreDto {
  @ApiProperty({ example: STORE })
  readonly id!: string;
  @ApiProperty({ enum: ['vector_store.deleted'] })
  readonly object!: 'vector_store.deleted';
  @ApiProperty({ enum: [true], type: Boolean })
  readonly deleted!: true;
}

export class VectorStoreFileDto {
  @ApiProperty({ example: FILE })
  readonly id!: string;
  @ApiProperty({ enum: ['vector_store.file'] })
  readonly object!: 'vector_store.file';
  @ApiProperty({ example: 11_066, description: 'Of its text and vectors; they were charged.' })
  readonly usage_bytes!: number;
  @ApiProperty(SECONDS)
  readonly created_at!: number;
  @ApiProperty({ example: STORE })
  readonly vector_store_id!: string;
  @ApiProperty({ enum: ['completed'] })
  readonly status!: 'completed';
  @NullableField(Object, 'Null: a file that cannot be attached is an error of its request.')
  readonly last_error!: null;
  @ApiProperty({ ...PAIRS, description: '`other`: at paragraphs, sentences and words.' })
  readonly chunking_strategy!: object;
  @ApiProperty(PAIRS)
  readonly attributes!: Readonly<Record<string, string | number | boolean>>;
}

export class VectorStoreFileListDto extends ItemListDto<VectorStoreFileDto> {
  @ApiProperty({ type: [VectorStoreFileDto] })
  readonly data!: readonly VectorStoreFileDto[];
}

export class DeletedVectorStoreFileDto {
  @ApiProperty({ example: FILE })
  readonly id!: string;
  @ApiProperty({ enum: ['vector_store.file.deleted'] })
  readonly object!: 'vector_store.file.deleted';
  @ApiProperty({ enum: [true], type: Boolean })
  readonly deleted!: true;
}

class VectorStoreTextDto {
  @ApiProperty({ enum: ['text'] })
  readonly type!: 'text';
  @ApiProperty()
  readonly text!: string;
}

export class VectorStoreFileContentDto {
  @ApiProperty({ enum: ['vector_store.file_content.page'] })
  readonly object!: 'vector_store.file_content.page';
  @ApiProperty({ type: [VectorStoreTextDto], description: 'The chunks of the file, in order.' })
  readonly data!: readonly VectorStoreTextDto[];
  @ApiProperty({ enum: [false], type: Boolean })
  readonly has_more!: false;
  @NullableField(String, 'Null: there is one page.')
  readonly next_page!: null;
}

class VectorStoreResultDto {
  @ApiProperty({ example: FILE })
  readonly file_id!: string;
  @ApiProperty({ example: 'contract.txt' })
  readonly filename!: string;
  @ApiProperty({ example: 0.71, description: 'The cosine of the query and the passage.' })
  readonly score!: number;
  @ApiProperty(PAIRS)
  readonly attributes!: Readonly<Record<string, string | number | boolean>>;
  @ApiProperty({ type: [VectorStoreTextDto], description: 'One passage.' })
  readonly content!: readonly VectorStoreTextDto[];
}

export class VectorStoreResultsDto {
  @ApiProperty({ enum: ['vector_store.search_results.page'] })
  readonly object!: 'vector_store.search_results.page';
  @ApiProperty({ type: [String] })
  readonly search_query!: readonly string[];
  @ApiProperty({ type: [VectorStoreResultDto], description: 'The best first.' })
  readonly data!: readonly VectorStoreResultDto[];
  @ApiProperty({ enum: [false], type: Boolean })
  readonly has_more!: false;
  @NullableField(String, 'Null: there is one page.')
  readonly next_page!: null;
}
