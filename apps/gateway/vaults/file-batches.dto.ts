import { ApiProperty } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, TextField } from '../fields/request-fields.js';
import { ItemListDto, ItemPageDto } from '../pages/item-page.js';
import { VectorStoreIdDto } from './vector-stores.dto.js';

const STATUSES = ['in_progress', 'completed', 'failed', 'cancelled'] as const;
export type FileStatus = (typeof STATUSES)[number];

const BATCH = 'vsfb_7d1f0c521d3e5f6a8b9c0d1e2f3a4b5c';
const STATUS = { enum: STATUSES };

export class FileBatchIdDto extends VectorStoreIdDto {
  @TextField({
    description: 'The id of the batch of files.',
    example: BATCH,
    matches: /^[A-Za-z0-9_-]{1,64}$/,
    expected: 'the id of a batch of files',
  })
  readonly batch_id!: string;
}

export class BatchFilesPageDto extends ItemPageDto {
  @ChoiceField(STATUSES, {
    required: false,
    description: 'Only files in this state.',
    expected: STATUSES.join(', '),
  })
  readonly filter?: FileStatus;
}

class BatchFileCountsDto implements Readonly<Record<FileStatus, number>> {
  @ApiProperty({ example: 1 })
  readonly in_progress!: number;
  @ApiProperty({ example: 2 })
  readonly completed!: number;
  @ApiProperty({ example: 0 })
  readonly failed!: number;
  @ApiProperty({ example: 0 })
  readonly cancelled!: number;
  @ApiProperty({ example: 3 })
  readonly total!: number;
}

export class FileBatchDto {
  @ApiProperty({ example: BATCH })
  readonly id!: string;
  @ApiProperty({ enum: ['vector_store.files_batch'] })
  readonly object!: 'vector_store.files_batch';
  @ApiProperty({ description: 'In seconds since the Unix epoch.', example: 1_772_355_600 })
  readonly created_at!: number;
  @ApiProperty({ example: 'vs_7d1f0c521d3e5f6a8b9c0d1e2f3a4b5c' })
  readonly vector_store_id!: string;
  @ApiProperty(STATUS)
  readonly status!: FileStatus;
  @ApiProperty({ type: BatchFileCountsDto })
  readonly file_counts!: BatchFileCountsDto;
}

class FileErrorDto {
  @ApiProperty({ enum: ['server_error', 'invalid_file'] })
  readonly code!: 'server_error' | 'invalid_file';
  @ApiProperty({ description: 'Begins with the code of the API.' })
  readonly message!: string;
}

export class BatchFileDto {
  @ApiProperty({ example: 'file-0123456789abcdef0123456789abcdef' })
  readonly id!: string;
  @ApiProperty({ enum: ['vector_store.file'] })
  readonly object!: 'vector_store.file';
  @ApiProperty({ example: 11_066, description: '0: it is not attached.' })
  readonly usage_bytes!: number;
  @ApiProperty({ description: 'In seconds since the Unix epoch.', example: 1_772_355_600 })
  readonly created_at!: number;
  @ApiProperty({ example: 'vs_7d1f0c521d3e5f6a8b9c0d1e2f3a4b5c' })
  readonly vector_store_id!: string;
  @ApiProperty(STATUS)
  readonly status!: FileStatus;
  @NullableField(FileErrorDto)
  readonly last_error!: FileErrorDto | null;
}

export class BatchFileListDto extends ItemListDto<BatchFileDto> {
  @ApiProperty({ type: [BatchFileDto] })
  readonly data!: readonly BatchFileDto[];
}
