import { ApiProperty } from '@nestjs/swagger';
import { NullableField } from '../fields/answer-fields.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  NumberField,
  TextField,
} from '../fields/request-fields.js';

const PROMPT_LENGTH_MAX = 4_000;
const MODEL_LENGTH_MAX = 256;
const GUIDANCE_MAX = 10;
const FPS_MAX = 30;
/** 256 KiB in base64. */
const IMAGE_LENGTH_MAX = 349_528;

const PromptField = (description: string): PropertyDecorator =>
  TextField({
    required: false,
    minLength: 1,
    maxLength: PROMPT_LENGTH_MAX,
    description,
    example: 'a large red star on a white background',
  });

const ModelField = (): PropertyDecorator =>
  TextField({
    required: false,
    minLength: 1,
    maxLength: MODEL_LENGTH_MAX,
    default: 'sdxl-turbo',
    description:
      'No upstream serves streams: the default, and `quipu-scenes`, are the embedded model. It ' +
      'answers under its own name.',
    example: 'quipu-scenes',
  });

const TokenField = (): PropertyDecorator =>
  TextField({
    matches: /^live_[A-Za-z0-9_-]{43}$/,
    expected: 'the session_token of a stream session',
    description: 'Of the session.',
    example: `live_${'0'.repeat(43)}`,
  });

export class LiveSessionOrderDto {
  @ChoiceField(['initiate'], { required: false, default: 'initiate' })
  readonly action?: 'initiate';

  @ChoiceField(['webrtc_diffusion'], { required: false, default: 'webrtc_diffusion' })
  readonly stream_type?: 'webrtc_diffusion';

  @ModelField()
  readonly model?: string;

  @TextField({
    required: false,
    default: '512x512',
    matches: /^\d{2,4}x\d{2,4}$/,
    expected: 'WxH, from 32x32 to 768x768',
    description: 'Of the frames; the model draws 32x32 pixels, which are resampled.',
    example: '512x512',
  })
  readonly resolution: string = '512x512';

  @IntegerField({
    required: false,
    default: 4,
    minimum: 1,
    maximum: FPS_MAX,
    description: 'Frames a second, held by fewer or more steps of the sampler.',
  })
  readonly target_fps: number = 4;

  @PromptField('What the frames show. Without it, frames wait for the first prompt of the client.')
  readonly prompt?: string;
}

export class AssignedNodeDto {
  @ApiProperty({
    type: 'integer',
    example: 187_316_279_402_283,
    description: '`routing_mode: rig_{rig_id}` pins it.',
  })
  readonly rig_id!: number;

  @ApiProperty({ example: 'built-in' })
  readonly rig_name!: string;

  @ApiProperty({ description: 'Whether a certification with a badge is valid now.' })
  readonly is_stream_certified!: boolean;

  @ApiProperty({ enum: ['gold', 'silver', 'bronze', 'none'] })
  readonly badge_level!: 'gold' | 'silver' | 'bronze' | 'none';

  @NullableField(Number, 'The median of round trips to it. Null: in the gateway, or not measured.')
  readonly est_ping_ms!: number | null;
}

export class LiveIceServerDto {
  @ApiProperty({ example: 'stun:quipu.example:3478' })
  readonly urls!: string;

  @ApiProperty({ required: false, description: 'Of a TURN server, until the token expires.' })
  readonly username?: string;

  @ApiProperty({ required: false, description: 'Of a TURN server.' })
  readonly credential?: string;
}

export class LiveSessionDto {
  @ApiProperty({ enum: ['success'] })
  readonly status!: 'success';

  @ApiProperty({
    example: `live_${'0'.repeat(43)}`,
    description: 'A secret of the account, for signalling, frames and vision.',
  })
  readonly session_token!: string;

  @ApiProperty({ type: AssignedNodeDto })
  readonly assigned_node!: AssignedNodeDto;

  @ApiProperty({ type: [LiveIceServerDto] })
  readonly ice_servers!: readonly LiveIceServerDto[];

  @ApiProperty({
    example: `wss://quipu.example/api/v1/stream/signal?session=live_${'0'.repeat(43)}`,
    description: '`wss:` where the request came over TLS, else `ws:`.',
  })
  readonly ws_signaling_url!: string;
}

export class LiveFrameOrderDto {
  @ChoiceField(['diffuse_frame'], { required: false, default: 'diffuse_frame' })
  readonly action?: 'diffuse_frame';

  @TokenField()
  readonly session_token!: string;

  @PromptField('Of this frame and the next ones; default: the prompt before.')
  readonly prompt?: string;

  @NumberField({
    required: false,
    minimum: 1,
    maximum: GUIDANCE_MAX,
    description: 'How closely frames follow the prompt; default: as before, at first 2.',
  })
  readonly guidance_scale?: number;

  @NumberField({
    required: false,
    minimum: 0,
    maximum: 1,
    description:
      'How far a frame may leave the frame before: 0 repeats it, 1 forgets it. Default: as ' +
      'before, at first 0.6.',
  })
  readonly noise_strength?: number;

  @ModelField()
  readonly model?: string;

  @TextField({
    required: false,
    maxLength: IMAGE_LENGTH_MAX,
    matches: /^[A-Za-z0-9+/]+={0,2}$/,
    expected: 'a PNG file of at most 256 KiB in base64',
    description: 'A PNG file to start from, in place of the frame before.',
  })
  readonly image_png_base64?: string;

  @FlagField({
    required: false,
    default: false,
    description: 'Has the frame in the answer where no client is connected.',
  })
  readonly return_frame?: boolean;
}

export class LiveFrameMetricsDto {
  @ApiProperty({ type: 'integer', example: 0, description: '0: the network runs on processors.' })
  readonly cuda_vram_mb!: number;

  @NullableField(
    Number,
    'From the begin of a frame to the echo of its stamp by the client that has shown it, for the ' +
      'last such frame. Null: no stamp was echoed.',
  )
  readonly glass_to_glass_latency_ms!: number | null;
}

export class LiveResamplingDto {
  @ApiProperty({ example: '32x32', description: 'The pixels of the model.' })
  readonly from!: string;

  @ApiProperty({ example: '512x512' })
  readonly to!: string;

  @ApiProperty({ enum: ['bicubic'] })
  readonly method!: 'bicubic';
}

export class LiveFrameDto {
  @ApiProperty({ enum: ['success'] })
  readonly status!: 'success';

  @ApiProperty({ type: 'integer', example: 12, description: 'Counts the frames of the session.' })
  readonly frame_id!: number;

  @ApiProperty({ example: 'quipu-scenes', description: 'The model that drew.' })
  readonly model!: string;

  @ApiProperty({
    example: 'embedded:quipu-scenes@9d03…',
    description: '`embedded:<name>@<SHA-256 of the weights>`.',
  })
  readonly tensor_engine!: string;

  @ApiProperty({ example: 41.2, description: 'Of the network alone.' })
  readonly inference_time_ms!: number;

  @NullableField(Number, 'Of the last frames. Null: fewer than two in five seconds.')
  readonly fps_rendered!: number | null;

  @ApiProperty({ type: LiveFrameMetricsDto })
  readonly metrics!: LiveFrameMetricsDto;

  @ApiProperty({ type: 'integer', description: 'Of the sampler, which hold the frame rate.' })
  readonly steps!: number;

  @ApiProperty({ type: LiveResamplingDto })
  readonly resampling!: LiveResamplingDto;

  @ApiProperty({
    enum: ['data_channel', 'response', 'nowhere'],
    description: '`nowhere`: no client is connected, and `return_frame` is not set.',
  })
  readonly delivered_by!: 'data_channel' | 'response' | 'nowhere';

  @ApiProperty({ required: false, format: 'byte', description: 'The PNG file, as asked for.' })
  readonly frame_png_base64?: string;
}
