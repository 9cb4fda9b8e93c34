import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsNumber, IsObject, IsOptional } from 'class-validator';
import { IntegerField, StringsField, TextField, UuidField } from '../fields/request-fields.js';

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 1_000;
const IDS_MAX = 100;
const ID_LENGTH_MAX = 64;
const TEXT_LENGTH_MAX = 8_192;
const BBOX = 'an array of four numbers';
const DATETIME = '2026-11-01T00:00:00Z/..';

export class StacCollectionDto {
  @TextField({
    matches: /^[a-z0-9-]{1,64}$/,
    expected: 'the id of a collection',
    example: 'multispectral',
    description: 'The collection.',
  })
  readonly collection!: string;
}

export class StacItemDto extends StacCollectionDto {
  @UuidField({
    example: '5a0c2f1e-7d34-5b8e-9c61-0f2d4b6a8c1e',
    description: 'The id of the ingest.',
  })
  readonly id!: string;
}

class PagedSearchDto {
  @IntegerField({
    required: false,
    default: LIMIT_DEFAULT,
    minimum: 1,
    maximum: LIMIT_MAX,
    fromText: true,
    description: 'The items of a page.',
  })
  readonly limit: number = LIMIT_DEFAULT;

  @TextField({
    required: false,
    minLength: 1,
    maxLength: 256,
    description: 'Of the link `next` of the page before.',
  })
  readonly token?: string;

  @TextField({
    required: false,
    minLength: 1,
    maxLength: 128,
    example: DATETIME,
    description: 'An instant or an interval (RFC 3339), with an open end as `..`.',
  })
  readonly datetime?: string;
}

/** Of the items of a collection. */
export class StacItemsQueryDto extends PagedSearchDto {
  @TextField({
    required: false,
    maxLength: 256,
    example: '11,48,12,49',
    description: 'West, south, east and north in degrees.',
  })
  readonly bbox?: string;

  @TextField({
    required: false,
    maxLength: TEXT_LENGTH_MAX,
    example: 'multispectral',
    description: 'In a collection, that collection counts: some clients name it here, too.',
  })
  readonly collections?: string;
}

export class StacSearchQueryDto extends StacItemsQueryDto {
  @TextField({ required: false, maxLength: TEXT_LENGTH_MAX, description: 'Ids of ingests.' })
  readonly ids?: string;

  @TextField({ required: false, maxLength: TEXT_LENGTH_MAX, description: 'GeoJSON.' })
  readonly intersects?: string;
}

export class StacSearchDto extends PagedSearchDto {
  @ApiProperty({ type: [Number], required: false, example: [11, 48, 12, 49] })
  @IsOptional()
  @IsArray({ message: BBOX })
  @ArrayMaxSize(6, { message: BBOX })
  @IsNumber({}, { each: true, message: BBOX })
  readonly bbox?: number[];

  @StringsField({ required: false, maxItems: IDS_MAX, itemLengthMax: ID_LENGTH_MAX })
  readonly collections?: string[];

  @StringsField({ required: false, maxItems: IDS_MAX, itemLengthMax: ID_LENGTH_MAX })
  readonly ids?: string[];

  @ApiProperty({ type: Object, required: false, description: 'GeoJSON: a point or polygons.' })
  @IsOptional()
  @IsObject({ message: 'an object' })
  readonly intersects?: object;
}
