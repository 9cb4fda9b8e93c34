import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { NumberText } from '../bodies/number-text.js';
import { IsInstant } from '../fields/instant.validator.js';
import { AnswerDto, PositionedAnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField, NullableInstant } from '../fields/answer-fields.js';
import { IdField, IntegerField, NumberField, TextField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const SATELLITE_ID_MAX = 999_999_999;
const DATA_LENGTH_MAX = 524_288;
const SOURCE_LENGTH_MAX = 200;
const NAME_LENGTH_MAX = 100;
const FREQUENCY_HZ_MAX = 1_000_000_000_000;
/** A mask of 90° would hide everything. */
const ELEVATION_DEG_MAX = 89;

const InstantQuery = (description: string): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ example: '2026-11-25T19:00:00Z', description }),
    IsOptional(),
    IsInstant({ message: 'an ISO 8601 instant such as 2026-11-25T19:00:00Z' }),
  );

const SatelliteIdField = (): PropertyDecorator =>
  IdField('The number of the satellite in the catalog (NORAD).', {
    maximum: SATELLITE_ID_MAX,
    example: 25_338,
  });

const StationIdField = (): PropertyDecorator =>
  IdField('The number of the ground station; 1 ships with Quipu.', { example: 1 });

/** The lists have no past states: passes are of the elements in force. */
export class OrbitPageDto extends OmitType(PageDto, ['asOf']) {}

export class PassesQueryDto extends OrbitPageDto {
  @StationIdField()
  readonly station_id!: number;

  @SatelliteIdField()
  readonly satellite_id!: number;

  @InstantQuery('The beginning of the window. Default: this minute.')
  readonly from?: string;

  @InstantQuery('The end of the window, at most 31 days later. Default: 3 days later.')
  readonly to?: string;

  @NumberText()
  @NumberField({
    required: false,
    minimum: 0,
    maximum: ELEVATION_DEG_MAX,
    decimalsMax: 4,
    description: 'A satellite below this elevation is not visible. Default: that of the station.',
  })
  readonly min_elevation_deg?: number;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: FREQUENCY_HZ_MAX,
    fromText: true,
    example: 137_620_000,
    description: 'The frequency that the satellite sends on, for the Doppler shift.',
  })
  readonly frequency_hz?: number;
}

export class SkyPlotQueryDto extends OmitType(PassesQueryDto, ['page', 'limit', 'frequency_hz']) {}

export class GroundTrackQueryDto {
  @SatelliteIdField()
  readonly satellite_id!: number;

  @InstantQuery('The beginning of the track. Default: this minute.')
  readonly from?: string;

  @InstantQuery('The end of the track, at most 31 days later. Default: 2 hours later.')
  readonly to?: string;
}

export class RegisterStationDto {
  @TextField({ minLength: 1, maxLength: NAME_LENGTH_MAX, example: 'Quito' })
  readonly name!: string;

  @NumberField({ minimum: -90, maximum: 90, decimalsMax: 8, example: -0.215 })
  readonly latitude_deg!: number;

  @NumberField({ minimum: -180, maximum: 180, decimalsMax: 8, example: -78.5027 })
  readonly longitude_deg!: number;

  @NumberField({
    required: false,
    default: 0,
    minimum: -500,
    maximum: 9_000,
    decimalsMax: 3,
    description: 'Metres above the ellipsoid of WGS 84.',
  })
  readonly height_m: number = 0;

  @NumberField({
    required: false,
    default: 10,
    minimum: 0,
    maximum: ELEVATION_DEG_MAX,
    decimalsMax: 4,
    description: 'A satellite below this elevation is not received.',
  })
  readonly min_elevation_deg: number = 10;
}

export class StationIdDto {
  @StationIdField()
  readonly station_id!: number;
}

export class ImportElementsDto {
  @TextField({
    minLength: 1,
    maxLength: DATA_LENGTH_MAX,
    example: '1 25338U 98030A …\n2 25338  98.5339 …',
    description:
      'Two-line elements, or Orbit Mean-Elements Messages in key-value notation or as the JSON ' +
      'that CelesTrak and Space-Track publish: at most 500 sets. The text says which it is.',
  })
  readonly data!: string;

  @TextField({
    minLength: 1,
    maxLength: SOURCE_LENGTH_MAX,
    example: 'CelesTrak',
    description: 'Where the elements come from. Answers that use them name it.',
  })
  readonly source!: string;
}

export class StationDto {
  @ApiProperty({ example: 1 })
  readonly station_id!: number;
  @ApiProperty({ example: 'Royal Observatory, Greenwich' })
  readonly name!: string;
  @ApiProperty({ example: 51.4769 })
  readonly latitude_deg!: number;
  @ApiProperty({ example: 0 })
  readonly longitude_deg!: number;
  @ApiProperty({ example: 46 })
  readonly height_m!: number;
  @ApiProperty({ example: 10 })
  readonly min_elevation_deg!: number;
  @NullableInstant('Null: it ships with Quipu.')
  readonly registered_at!: string | null;
}

export class SatelliteDto {
  @ApiProperty({ example: 25_338 })
  readonly satellite_id!: number;
  @ApiProperty({ example: 'NOAA 15' })
  readonly name!: string;
  @InstantField('The instant of the elements.')
  readonly element_epoch!: string;
  @ApiProperty({ enum: ['tle', 'omm'] })
  readonly element_format!: 'tle' | 'omm';
  @ApiProperty({ example: 'CelesTrak' })
  readonly source!: string;
  @NullableInstant('Null: they ship with Quipu.')
  readonly imported_at!: string | null;
}

export class StationAnswerDto extends PositionedAnswerDto {
  @ApiProperty({ type: StationDto })
  readonly station!: StationDto;
}

export class StationListDto extends PageOfListDto {
  @ApiProperty({ type: [StationDto], description: 'The registered stations, by id.' })
  readonly stations!: readonly StationDto[];
  @ApiProperty({ type: [StationDto], description: 'Stations that ship with Quipu.' })
  readonly built_in!: readonly StationDto[];
}

export class SatelliteListDto extends PageOfListDto {
  @ApiProperty({ type: [SatelliteDto], description: 'Satellites with imported elements, by id.' })
  readonly satellites!: readonly SatelliteDto[];
  @ApiProperty({
    type: [SatelliteDto],
    description: 'Elements that ship with Quipu. They are old, and an import replaces them.',
  })
  readonly built_in!: readonly SatelliteDto[];
}

class ImportedSatelliteDto {
  @ApiProperty({ example: 25_338 })
  readonly satellite_id!: number;
  @ApiProperty({ example: 'NOAA 15' })
  readonly name!: string;
  @InstantField('The instant of the elements.')
  readonly element_epoch!: string;
  @ApiProperty({
    enum: ['imported', 'unchanged'],
    description: 'unchanged: newer elements, or the same ones, were in force.',
  })
  readonly status!: 'imported' | 'unchanged';
}

export class ImportedElementsDto extends AnswerDto {
  @ApiProperty({ enum: ['tle', 'omm_json', 'omm_kvn'], description: 'What the text was read as.' })
  readonly format!: 'tle' | 'omm_json' | 'omm_kvn';
  @ApiProperty({ example: 1 })
  readonly imported!: number;
  @ApiProperty({ example: 0 })
  readonly unchanged!: number;
  @ApiProperty({ type: [ImportedSatelliteDto], description: 'The newest set of each satellite.' })
  readonly satellites!: readonly ImportedSatelliteDto[];
}

export class PassPointDto {
  @InstantField('To 10 ms.')
  readonly at!: string;
  @ApiProperty({ example: 187.314, description: 'From north over east.' })
  readonly azimuth_deg!: number;
  @ApiProperty({ example: 10 })
  readonly elevation_deg!: number;
  @ApiProperty({ example: 2_204.517 })
  readonly range_km!: number;
  @ApiProperty({ example: -5.812306, description: 'Below zero while the satellite comes nearer.' })
  readonly range_rate_km_per_sec!: number;
  @NullableField(
    Number,
    'Added to `frequency_hz` at the station. Null: without a frequency.',
    2_668.1,
  )
  readonly doppler_hz!: number | null;
  @ApiProperty({ description: 'Whether more than half of the Sun shines on the satellite.' })
  readonly sunlit!: boolean;
}

export class PassDto {
  @ApiProperty({
    type: PassPointDto,
    nullable: true,
    description: 'The rise (acquisition of signal). Null: the window begins during the pass.',
  })
  readonly aos!: PassPointDto | null;
  @ApiProperty({ type: PassPointDto, description: 'The highest point.' })
  readonly culmination!: PassPointDto;
  @ApiProperty({ type: PassPointDto, description: 'The closest approach: the Doppler shift is 0.' })
  readonly tca!: PassPointDto;
  @ApiProperty({
    type: PassPointDto,
    nullable: true,
    description: 'The set (loss of signal). Null: the window ends during the pass.',
  })
  readonly los!: PassPointDto | null;
  @ApiProperty({ example: 42.713, description: 'That of the culmination.' })
  readonly max_elevation_deg!: number;
  @ApiProperty({ example: 694.21, description: 'Of the part within the window.' })
  readonly duration_sec!: number;
}

export class PassListDto extends OmitType(PageOfListDto, ['position']) {
  @ApiProperty({ example: 1 })
  readonly station_id!: number;
  @ApiProperty({ example: 25_338 })
  readonly satellite_id!: number;
  @ApiProperty({ type: StationDto })
  readonly station!: StationDto;
  @ApiProperty({ type: SatelliteDto })
  readonly satellite!: SatelliteDto;
  @InstantField('The beginning of the window.')
  readonly from!: string;
  @InstantField('The end of the window.')
  readonly to!: string;
  @ApiProperty({ example: 10 })
  readonly min_elevation_deg!: number;
  @NullableField(Number, 'As asked.', 137_620_000)
  readonly frequency_hz!: number | null;
  @ApiProperty({ example: 480.06, description: 'From the epoch of the elements to `from`.' })
  readonly element_age_days!: number;
  @NullableField(String, 'That the elements are older than `QUIPU_ORBIT_ELEMENT_DAYS`, else null.')
  readonly warning!: string | null;
  @ApiProperty({ type: [PassDto], description: 'In the order of their beginnings.' })
  readonly passes!: readonly PassDto[];
}
