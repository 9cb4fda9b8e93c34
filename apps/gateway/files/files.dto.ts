import { ApiProperty } from '@nestjs/swagger';
import { LIST_LIMIT_MAX } from '#areas/files/list-files.handler.js';
import { FilePurpose } from '#events/files/file.events.js';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, IntegerField, TextField } from '../fields/request-fields.js';

const PURPOSES = FilePurpose.options;
const ORDERS = ['asc', 'desc'] as const;

export class FileIdDto {
  @TextField({
    description: 'The id of the file.',
    example: 'file-0123456789abcdef0123456789abcdef',
    matches: /^[A-Za-z0-9_-]{1,64}$/,
    expected: 'the id of a file',
  })
  readonly file_id!: string;
}

export class FilesPageDto {
  @TextField({
    required: false,
    description: 'Lists files after this one.',
    matches: /^[A-Za-z0-9_-]{1,64}$/,
    expected: 'the id of a file',
  })
  readonly after?: string;

  @IntegerField({
    required: false,
    default: LIST_LIMIT_MAX,
    minimum: 1,
    maximum: LIST_LIMIT_MAX,
    description: 'The files of a page.',
    fromText: true,
  })
  readonly limit: number = LIST_LIMIT_MAX;

  @ChoiceField(ORDERS, {
    required: false,
    default: 'desc',
    description: 'By creation.',
    expected: 'asc or desc',
  })
  readonly order: (typeof ORDERS)[number] = 'desc';

  @ChoiceField(PURPOSES, { required: false, description: 'Lists files of this purpose.' })
  readonly purpose?: FilePurpose;
}

export class FileDto {
  @ApiProperty({ example: 'file-0123456789abcdef0123456789abcdef' })
  readonly id!: string;
  @ApiProperty({ enum: ['file'] })
  readonly object!: 'file';
  @ApiProperty({ description: 'Of the content.', example: 20_480 })
  readonly bytes!: number;
  @ApiProperty({ description: 'In seconds since the Unix epoch.', example: 1_772_355_600 })
  readonly created_at!: number;
  @ApiProperty({ required: false, description: 'Absent: the file does not expire.' })
  readonly expires_at?: number;
  @ApiProperty({ example: 'requests.jsonl' })
  readonly filename!: string;
  @ApiProperty({ enum: PURPOSES })
  readonly purpose!: FilePurpose;
  @ApiProperty({ enum: ['processed'], description: 'A file is ready once it is uploaded.' })
  readonly status!: 'processed';
}

export class FileListDto {
  @ApiProperty({ enum: ['list'] })
  readonly object!: 'list';
  @ApiProperty({ type: [FileDto] })
  readonly data!: readonly FileDto[];
  @NullableField(String)
  readonly first_id!: string | null;
  @NullableField(String)
  readonly last_id!: string | null;
  @ApiProperty()
  readonly has_more!: boolean;
}

export class DeletedFileDto {
  @ApiProperty()
  readonly id!: string;
  @ApiProperty({ enum: ['file'] })
  readonly object!: 'file';
  @ApiProperty({ enum: [true], type: Boolean })
  readonly deleted!: true;
}
