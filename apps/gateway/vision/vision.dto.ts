import { ApiProperty } from '@nestjs/swagger';
import { VISION_MODES, type VisionMode } from '#areas/vision/vision.engine.js';
import { NullableField } from '../fields/answer-fields.js';
import { ChoiceField, NumberField, TextField } from '../fields/request-fields.js';

/** Of a PNG file of 8 MiB in base64. */
const BASE64_LENGTH_MAX = 11_184_812;
/** The smallest PNG file: one red pixel. */
const EXAMPLE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';
const NAME = /^[\w.:-]{1,64}$/;
export const CONFIDENCE_DEFAULT = 0.3;
export const OVERLAP_DEFAULT = 0.5;

export class VisionFrameDto {
  @TextField({
    required: false,
    type: String,
    nullable: true,
    example: EXAMPLE,
    description:
      'A PNG file in base64, or a `data:image/png;base64,` URL: of at most 8 MiB, 4,194,304 ' +
      'pixels and 4,096 on a side. Without it, the last frame of `session_id` is taken.',
    minLength: 1,
    maxLength: BASE64_LENGTH_MAX,
    matches: /^(?:data:image\/png;base64,)?[A-Za-z0-9+/]+={0,2}$/,
    expected: 'a PNG file in base64',
  })
  readonly image_base64?: string | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    description: 'The `session_token` of a stream session. Its frames are a stream.',
    matches: NAME,
    expected: 'the id of a session',
  })
  readonly session_id?: string | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    example: 'door-camera',
    description:
      'A name of the caller for the frames of one camera. Objects keep their `track_id` from ' +
      'frame to frame of a stream.',
    matches: NAME,
    expected: 'a name of 1 to 64 letters, digits and ._:-',
  })
  readonly stream_id?: string | null;

  @TextField({
    required: false,
    type: String,
    nullable: true,
    description: 'A name for this frame. Default: of the session, else the id of the request.',
    matches: NAME,
    expected: 'a name of 1 to 64 letters, digits and ._:-',
  })
  readonly frame_id?: string | null;

  @ChoiceField(VISION_MODES, {
    required: false,
    nullable: true,
    default: 'detect',
    description:
      '`detect`: shapes and their colours, by the embedded detector. `components`: connected ' +
      'regions that differ in brightness from the border, by the threshold of Otsu. `motion`: ' +
      'regions that differ from the frames of the stream before.',
  })
  readonly mode?: VisionMode | null;

  @NumberField({
    required: false,
    type: 'number',
    nullable: true,
    default: CONFIDENCE_DEFAULT,
    description: 'The least confidence of an object.',
    minimum: 0.05,
    maximum: 1,
  })
  readonly confidence_min?: number | null;

  @NumberField({
    required: false,
    type: 'number',
    nullable: true,
    default: OVERLAP_DEFAULT,
    description: 'Of two objects that share more (IoU), the less confident one is dropped.',
    minimum: 0,
    maximum: 1,
  })
  readonly iou_max?: number | null;
}

class ContourDto {
  @ApiProperty({ example: 0.12, description: 'Pixels of the object over pixels of the frame.' })
  readonly area_share!: number;
  @ApiProperty({ example: 0.78, description: 'Pixels of the object over pixels of its box.' })
  readonly extent!: number;
  @ApiProperty({ example: 1.1, description: 'The longer axis of its moments over the shorter.' })
  readonly elongation!: number;
  @ApiProperty({ type: [Number], example: [0.5, 0.4], description: 'The mean of its pixels.' })
  readonly centre!: readonly number[];
}

class VisionObjectDto {
  @ApiProperty({ example: 'star', description: 'A shape, `component` or `moving`.' })
  readonly label!: string;
  @ApiProperty({ example: 'shape', enum: ['shape', 'region', 'motion'] })
  readonly category!: string;
  @ApiProperty({
    example: 0.97,
    description:
      'Of the detector; how well a threshold separates the frame (`components`); how much the ' +
      'pixels differ (`motion`).',
  })
  readonly confidence!: number;
  @ApiProperty({
    type: [Number],
    minItems: 4,
    maxItems: 4,
    example: [0.1, 0.2, 0.4, 0.5],
    description: 'Left, top, right and bottom, as shares of the frame.',
  })
  readonly box!: readonly number[];
  @NullableField(String, 'Null where the mode names no colour.', 'red')
  readonly colour!: string | null;
  @NullableField(Number, 'The same from frame to frame of a stream; null without a stream.', 1)
  readonly track_id!: number | null;
  @NullableField(ContourDto, 'Null for shapes of the detector.')
  readonly contour!: ContourDto | null;
}

class AnomalyDto {
  @ApiProperty({ example: 0.0009, description: 'The largest reconstruction error of a patch.' })
  readonly error!: number;
  @ApiProperty({ example: 0.0021, description: 'A quantile of usual frames; see the model card.' })
  readonly threshold!: number;
}

class VisionStreamDto {
  @ApiProperty({ example: 30, description: 'Frames since the stream was opened.' })
  readonly frames!: number;
  @ApiProperty({ example: 2 })
  readonly tracks!: number;
  @NullableField(
    Number,
    'Frames a second that came, over the last 30; null before the second.',
    9.8,
  )
  readonly fps!: number | null;
}

export class VisionResultDto {
  @ApiProperty({ example: 'success', enum: ['success'] })
  readonly status!: 'success';
  @ApiProperty({ example: 'frame-17' })
  readonly frame_id!: string;
  @ApiProperty({
    example: 'embedded:quipu-shapes@9d03…',
    description: '`embedded:<name>@<SHA-256 of the weights>` or `classical:<mode>`.',
  })
  readonly inference_engine!: string;
  @ApiProperty({ example: 4.2, description: 'In the thread of the engine.' })
  readonly inference_time_ms!: number;
  @NullableField(Number, 'Frames a second that the engine computes, over its last 64.', 210.5)
  readonly fps_throughput!: number | null;
  @ApiProperty({ example: 1 })
  readonly detections_count!: number;
  @ApiProperty({ type: [VisionObjectDto], description: 'The most confident first, at most 64.' })
  readonly objects!: readonly VisionObjectDto[];
  @ApiProperty({ description: 'Whether the frame has a patch that usual frames do not have.' })
  readonly anomaly_alert!: boolean;
  @ApiProperty({ type: AnomalyDto })
  readonly anomaly!: AnomalyDto;
  @NullableField(VisionStreamDto, 'Null for a frame without a stream.')
  readonly stream!: VisionStreamDto | null;
}
