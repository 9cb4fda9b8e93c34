import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsNumber, IsOptional, IsString, Length, Max, MaxLength, Min } from 'class-validator';
import { RESPONSE_FORMATS, type ResponseFormat } from '#areas/audio/transcript-formats.js';
import { SPEECH_FORMATS, type SpeechFormat } from '#areas/audio/speak.handler.js';

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
  @ApiProperty({
    enum: RESPONSE_FORMATS,
    default: 'json',
    required: false,
    description: 'The format of the transcript.',
  })
  @IsIn(RESPONSE_FORMATS)
  readonly response_format: ResponseFormat = 'json';
}

/** OpenAI accepts as many characters. */
const INPUT_LENGTH_MAX = 4_096;

export class SpeechBody {
  @ApiProperty({ example: 'espeak-ng' })
  @IsString()
  @Length(1, 256)
  readonly model!: string;
  @ApiProperty({ example: 'One, two, three.', maxLength: INPUT_LENGTH_MAX })
  @IsString()
  @Length(1, INPUT_LENGTH_MAX)
  readonly input!: string;
  @ApiProperty({ example: 'alloy' })
  @IsString()
  @Length(1, 64)
  readonly voice!: string;
  @ApiProperty({ enum: SPEECH_FORMATS, default: 'mp3', required: false })
  @IsOptional()
  @IsIn(SPEECH_FORMATS)
  readonly response_format?: SpeechFormat;
  @ApiProperty({ minimum: 0.25, maximum: 4, default: 1, required: false })
  @IsOptional()
  @IsNumber()
  @Min(0.25)
  @Max(4)
  readonly speed?: number;
  @ApiProperty({ description: 'For an upstream.', maxLength: INPUT_LENGTH_MAX, required: false })
  @IsOptional()
  @IsString()
  @MaxLength(INPUT_LENGTH_MAX)
  readonly instructions?: string;
}
