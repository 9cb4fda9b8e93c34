import { ApiProperty } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';
import { TextField } from '../fields/request-fields.js';

class ImageDto {
  @ApiProperty({
    required: false,
    example: 'https://quipu.example/api/v1/images/file-0123456789abcdef0123456789abcdef',
    description: 'Where its account gets the PNG file, until it expires. Absent with `b64_json`.',
  })
  readonly url?: string;
  @ApiProperty({ required: false, format: 'byte', description: 'The PNG file in base64.' })
  readonly b64_json?: string;
  @NullableField(
    String,
    'The drawn scene, the words that were not understood, and how pixels were made. Null: the ' +
      'upstream does not say.',
    'One large red star in the middle on a white background.',
  )
  readonly revised_prompt!: string | null;
  @NullableField(Number, 'Of this picture; null where an upstream decides.', 7)
  readonly seed!: number | null;
}

class ImageResamplingDto {
  @ApiProperty({ example: '32x32', description: 'The pixels of the model.' })
  readonly from!: string;
  @ApiProperty({ example: '1024x1024' })
  readonly to!: string;
  @ApiProperty({ enum: ['bicubic'], description: 'The edges continue on the longer side.' })
  readonly method!: 'bicubic';
}

export class ImageResultDto {
  @ApiProperty({ example: 1_795_000_000, description: 'Seconds since 1970.' })
  readonly created!: number;
  @ApiProperty({ type: [ImageDto] })
  readonly data!: readonly ImageDto[];
  @ApiProperty({ example: 'quipu-scenes', description: 'The model that answered.' })
  readonly model!: string;
  @ApiProperty({
    example: 'embedded:quipu-scenes@9d03…',
    description: '`embedded:<name>@<SHA-256 of the weights>`, or `upstream:<kind>`.',
  })
  readonly engine!: string;
  @ApiProperty({ example: '1024x1024' })
  readonly size!: string;
  @NullableField(Number, 'Of the sampler; null where an upstream decides.', 16)
  readonly steps!: number | null;
  @NullableField(ImageResamplingDto, 'Null where the pixels were not resampled here.')
  readonly resampling!: ImageResamplingDto | null;
}

export class ImageIdDto {
  @TextField({
    description: 'The id of the picture, the end of its URL.',
    example: 'file-0123456789abcdef0123456789abcdef',
    matches: /^file-[0-9a-f]{32}$/,
    expected: 'the id of a picture',
  })
  readonly id!: string;
}
