import { ApiProperty } from '@nestjs/swagger';
import { RESPONSE_FORMATS, type ResponseFormat } from '#areas/audio/transcript-formats.js';
import { SPEECH_FORMATS, type SpeechFormat } from '#areas/audio/speak.handler.js';
import { ChoiceField, NumberField, TextField } from '../fields/request-fields.js';

class TranscriptUsageDto {
  @ApiProperty({ enum: ['duration'] })
  readonly type!: 'duration';
  @ApiProperty({ example: 1.5 })
  readonly seconds!: number;
}

class UnrecognizedDto {
  @ApiProperty({ example: 0.4 })
  readonly start!: number;
  @ApiProperty({ example: 0.9 })
  readonly end!: number;
}

export class TranscriptDto {
  @ApiProperty({ example: 'one two three' })
  readonly text!: string;
  @ApiProperty({ type: TranscriptUsageDto })
  readonly usage!: TranscriptUsageDto;
  @ApiProperty({ example: 'quipu-words', description: 'The model that answered.' })
  readonly model!: string;
  @ApiProperty({ example: 'embedded', description: '`embedded`, or `upstream:` and its name.' })
  readonly engine!: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 0.99,
    description: 'Of the least sure word; null without a word, and for an upstream.',
  })
  readonly confidence!: number | null;
  @ApiProperty({ example: false, description: 'A word is not sure, or speech was not recognized.' })
  readonly low_confidence!: boolean;
  @ApiProperty({
    type: [UnrecognizedDto],
    description: 'Speech that has no word of the embedded model, in seconds.',
  })
  readonly unrecognized!: readonly UnrecognizedDto[];
}

export class TranscriptionJobDto {
  @ApiProperty({ format: 'uuid' })
  readonly id!: string;
  @ApiProperty({ enum: ['transcription.job'] })
  readonly object!: 'transcription.job';
  @ApiProperty({ description: 'Where the state of the job is.' })
  readonly status_url!: string;
}

export class TranscriptFormatDto {
  @ChoiceField(RESPONSE_FORMATS, {
    required: false,
    default: 'json',
    description: 'The format of the transcript.',
  })
  readonly response_format: ResponseFormat = 'json';
}

const MODEL_LENGTH_MAX = 256;
const VOICE_LENGTH_MAX = 64;
/** OpenAI accepts as many characters. */
const INPUT_LENGTH_MAX = 4_096;

export class SpeechBody {
  @TextField({ minLength: 1, maxLength: MODEL_LENGTH_MAX, example: 'espeak-ng' })
  readonly model!: string;

  @TextField({ minLength: 1, maxLength: INPUT_LENGTH_MAX, example: 'One, two, three.' })
  readonly input!: string;

  @TextField({ minLength: 1, maxLength: VOICE_LENGTH_MAX, example: 'alloy' })
  readonly voice!: string;

  @ChoiceField(SPEECH_FORMATS, { required: false, default: 'mp3' })
  readonly response_format?: SpeechFormat;

  @NumberField({ required: false, minimum: 0.25, maximum: 4, default: 1 })
  readonly speed?: number;

  @TextField({ required: false, maxLength: INPUT_LENGTH_MAX, description: 'For an upstream.' })
  readonly instructions?: string;
}
