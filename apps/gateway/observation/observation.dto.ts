import { ApiProperty } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { IsInstant } from '../fields/instant.validator.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const HEX_LENGTH_MAX = 4_000_000;
const REGION_LENGTH_MAX = 65_536;
const NAME_LENGTH_MAX = 64;
const STATION_LENGTH_MAX = 128;
const INGEST_ID = '5a0c2f1e-7d34-5b8e-9c61-0f2d4b6a8c1e';
const REGION = 'POLYGON ((11 48, 12 48, 12 49, 11 49, 11 48))';

export class IngestOrderDto {
  @TextField({ minLength: 1, maxLength: NAME_LENGTH_MAX, example: 'sentinel-2a' })
  readonly satellite_id!: string;

  @TextField({
    required: false,
    minLength: 1,
    maxLength: NAME_LENGTH_MAX,
    default: 'multispectral',
    example: 'multispectral',
    description: 'Images of one type are one STAC collection.',
  })
  readonly sensor_type: string = 'multispectral';

  @TextField({
    required: false,
    minLength: 1,
    maxLength: REGION_LENGTH_MAX,
    example: REGION,
    description:
      'Well-known text or GeoJSON in degrees: the image must meet it. Any other text is kept, ' +
      'and `region_check` says that it was not checked.',
  })
  readonly target_region?: string;

  @TextField({
    required: false,
    minLength: 2,
    maxLength: HEX_LENGTH_MAX,
    example: '49492a0008000000',
    description:
      'The image in hex, plain or compressed by gzip or zlib. Larger ones are uploaded to ' +
      '`/v1/files` first. Exactly one of this field and `file_id` is needed.',
  })
  readonly compressed_payload_hex?: string;

  @TextField({
    required: false,
    matches: /^file-[0-9a-f]{32}$/,
    expected: 'the id of a file',
    example: 'file-0198c2f17a3b7c5d8e9f0a1b2c3d4e5f',
    description: 'A file of the account, of at most 67,108,864 bytes.',
  })
  readonly file_id?: string;

  @TextField({
    required: false,
    minLength: 1,
    maxLength: STATION_LENGTH_MAX,
    example: 'Royal Observatory, Greenwich',
    description: 'Default: the station that ships with Quipu.',
  })
  readonly ground_station?: string;

  @ApiProperty({
    required: false,
    format: 'date-time',
    example: '2026-11-20T10:30:00Z',
    description: 'Default: as the file says, else the arrival; `acquired_from` says which.',
  })
  @IsOptional()
  @IsInstant({ message: 'an ISO 8601 instant such as 2026-11-20T10:30:00Z' })
  readonly acquired_at?: string;
}

class ProblemDto {
  @ApiProperty({ example: 'not_georeferenced' })
  readonly code!: string;
  @ApiProperty({ example: 'the file has no geokeys' })
  readonly detail!: string;
}

export class ObservationDto {
  @ApiProperty({ example: INGEST_ID })
  readonly ingest_id!: string;
  @ApiProperty({ example: 'sentinel-2a' })
  readonly satellite_id!: string;
  @ApiProperty({ example: 'multispectral' })
  readonly sensor_type!: string;
  @NullableField(Number, 'Of a pixel on the ground, from the file. Null: it has no place.', 10)
  readonly resolution_meters!: number | null;
  @NullableField(String, 'As it was sent. Null: none was.', REGION)
  readonly target_region!: string | null;
  @ApiProperty({ example: 'Royal Observatory, Greenwich' })
  readonly ground_station!: string;
  @ApiProperty({
    enum: ['hot', 'warm', 'cold'],
    description:
      'By the policy: cold from 365 days after the acquisition on; hot in the first 30 days for ' +
      'at most 16,777,216 bytes; else warm. It is decided at the ingest.',
  })
  readonly storage_tier!: string;
  @ApiProperty({ enum: ['ingested_verified', 'stored_unverified'] })
  readonly status!: 'ingested_verified' | 'stored_unverified';
  @ApiProperty({ type: ProblemDto, nullable: true, description: 'Null: the image is verified.' })
  readonly problem!: ProblemDto | null;
  @ApiProperty({ enum: ['none', 'not_checked', 'overlaps', 'disjoint'] })
  readonly region_check!: string;
  @ApiProperty({ example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' })
  readonly content_sha256!: string;
  @ApiProperty({ example: 1_474_560 })
  readonly content_bytes!: number;
  @ApiProperty({ enum: ['none', 'gzip', 'zlib'] })
  readonly payload_compression!: string;
  @ApiProperty({ example: 'image/tiff; application=geotiff' })
  readonly media_type!: string;
  @InstantField('When the image was taken.')
  readonly acquired_at!: string;
  @ApiProperty({ enum: ['request', 'file', 'arrival'] })
  readonly acquired_from!: string;
  @InstantField('When it was stored.')
  readonly ingested_at!: string;
  @ApiProperty({ example: `/api/v1/stac/collections/multispectral/items/${INGEST_ID}` })
  readonly stac_item_url!: string;
  @ApiProperty({ example: `/api/v1/space/observations/${INGEST_ID}/content` })
  readonly image_url!: string;
  @NullableField(String, 'A PNG. Null: the samples could not be read.')
  readonly preview_url!: string | null;
}

export class IngestedDto extends ObservationDto {
  @ApiProperty({ example: true })
  readonly success!: true;
  @ApiProperty({ description: 'The account sent the same content before; the first order stands.' })
  readonly duplicate!: boolean;
}

export class ObservationAnswerDto extends AnswerDto {
  @ApiProperty({ type: ObservationDto })
  readonly observation!: ObservationDto;
}

export class ObservationsPageDto extends PageDto {}

export class ObservationListDto extends PageOfListDto {
  @ApiProperty({ type: [ObservationDto] })
  readonly observations!: readonly ObservationDto[];
}
