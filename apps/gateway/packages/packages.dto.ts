import { ApiProperty, OmitType } from '@nestjs/swagger';
import { DOWNLOAD_PARTS, type DownloadPart } from '#areas/packages/package-downloads.js';
import { PACKAGE_STATUSES } from '#areas/packages/shown-package.js';
import { HARDWARE_ARCHITECTURE } from '#events/packages/package.events.js';
import { AnswerDto } from '../fields/answer.dto.js';
import { InstantField, NullableField, NullableInstant } from '../fields/answer-fields.js';
import { ChoiceField, IntegerField, TextField, UuidField } from '../fields/request-fields.js';
import { PageDto, PageOfListDto } from '../pages/page.dto.js';

const PACKAGE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
export const LICENCE_DAYS_DEFAULT = 365;
const LICENCE_DAYS_MAX = 3_650;
const SHA256 = 'd103f293896e53938abb26d64c1e8481f55cbadb0059ac900d937c9d67ac3094';
const UUID = '6f1f1b62-2f63-4a30-9b5c-0a4f2f0f5a11';

export class OrderPackageDto {
  @TextField({
    matches: PACKAGE_NAME,
    expected: 'a name of 1 to 64 letters, digits, dots, hyphens and underscores',
    example: 'field-kit',
  })
  readonly package_name!: string;

  @TextField({
    minLength: 1,
    maxLength: 256,
    example: 'quipu/nano',
    description:
      'The id of a model that Quipu holds, or the path of its file as the catalog has it.',
  })
  readonly model_source!: string;

  @TextField({
    required: false,
    matches: HARDWARE_ARCHITECTURE,
    expected: 'a vendor in small letters and digits, then _hopper, _blackwell, _mi300x or _gaudi3',
    example: 'acme_hopper',
    description: 'A label in the licence and the configuration. Default: any hardware.',
  })
  readonly target_hardware_architecture?: string;

  @IntegerField({
    required: false,
    minimum: 1,
    maximum: LICENCE_DAYS_MAX,
    default: LICENCE_DAYS_DEFAULT,
  })
  readonly offline_license_duration_days: number = LICENCE_DAYS_DEFAULT;
}

export class ScifPackageDto extends AnswerDto {
  @ApiProperty({ example: UUID, description: 'Also the id of its job.' })
  readonly package_uuid!: string;
  @ApiProperty({ example: 'field-kit' })
  readonly package_name!: string;
  @NullableField(String, 'The signature of `manifest.json`, in base64; null before it is made.')
  readonly ed25519_signature_seal!: string | null;
  @NullableField(String, 'A JWS (EdDSA); null before it is made.')
  readonly license_token!: string | null;
  @NullableField(
    String,
    'Of `content.tar` in the download, in hex. Equal models and hardware have equal ones; null ' +
      'before it is made.',
    SHA256,
  )
  readonly checksum_sha256!: string | null;
  @ApiProperty({ example: `/api/v1/scif/download?package_uuid=${UUID}` })
  readonly export_tar_url!: string;
}

export class PackageDetailsDto extends ScifPackageDto {
  @ApiProperty({ enum: PACKAGE_STATUSES })
  readonly status!: string;
  @ApiProperty({ example: 'quipu/nano' })
  readonly model!: string;
  @NullableField(String, 'Null: any.', 'acme_hopper')
  readonly hardware_architecture!: string | null;
  @InstantField('When it was ordered.')
  readonly ordered_at!: string;
  @ApiProperty({ example: 4_014_080, description: 'Of the archive. They were held.' })
  readonly estimated_bytes!: number;
  @NullableField(
    Number,
    'How far the estimate was above the bytes of the archive. Null before it is written.',
    0,
  )
  readonly estimate_error_pct!: number | null;
  @NullableField(Number, 'Of the download; null before it is ready.', 4_024_320)
  readonly bytes!: number | null;
  @NullableField(String, 'Of the download, in hex; null before it is ready.', SHA256)
  readonly download_sha256!: string | null;
  @NullableInstant('The end of the licence; null before it is ready.')
  readonly licensed_until!: string | null;
  @NullableInstant('The end of the download; null before it is ready.')
  readonly download_until!: string | null;
}

export class PackageListDto extends PageOfListDto {
  @ApiProperty({ type: [PackageDetailsDto] })
  readonly packages!: readonly PackageDetailsDto[];
}

/** The list is of now: packages expire by themselves. */
export class PackagesPageDto extends OmitType(PageDto, ['asOf']) {}

export class PackageIdDto {
  @UuidField({ example: UUID, description: 'The package, which is also its job.' })
  readonly package_uuid!: string;
}

export class DownloadPackageDto extends PackageIdDto {
  @ChoiceField(DOWNLOAD_PARTS, {
    required: false,
    default: 'package',
    description: '`archive`: `content.tar` alone, whose hash is `checksum_sha256`.',
  })
  readonly part: DownloadPart = 'package';
}
