import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RESPONSE_FORMATS } from '#areas/audio/transcript-formats.js';
import { GUARD_CODES } from '../inference/chat.docs.js';
import { Credentials } from '../openapi/credentials.docs.js';
import { TranscriptDto } from './audio.dto.js';

const AUDIO_CODES = [
  'audio_program_missing',
  'audio_field_invalid',
  'audio_field_unsupported',
  'audio_model_unavailable',
  'audio_not_priced',
  'audio_busy',
  'audio_unavailable',
  'audio_failed',
  'request_timed_out',
];

export const TRANSCRIPTION_CODES = [
  ...AUDIO_CODES,
  'audio_invalid',
  'audio_too_long',
  'audio_translation_unavailable',
  'invalid_form',
  'file_too_large',
  'too_many_uploads',
  'unsupported_media_type',
];

export const SPEECH_CODES = [...AUDIO_CODES, ...GUARD_CODES];

const text = (description: string) => ({ type: 'string', description });

const COMMON = {
  file: { type: 'string', format: 'binary', description: 'WAV, or any format that ffmpeg reads.' },
  model: { ...text('Default: the embedded model.'), example: 'quipu-words' },
  prompt: text('For an upstream.'),
  response_format: { type: 'string', enum: [...RESPONSE_FORMATS], default: 'json' },
  temperature: { type: 'number', minimum: 0, maximum: 1 },
};

const FORM = {
  type: 'object',
  required: ['file'],
  properties: {
    ...COMMON,
    language: { ...text('As ISO 639-1. The embedded model hears English.'), example: 'en' },
    'timestamp_granularities[]': {
      type: 'array',
      items: { type: 'string', enum: ['word', 'segment'] },
      description: 'With `verbose_json`. Default: `segment`.',
    },
    stream: { type: 'boolean', default: false, description: 'With `json` and `text`.' },
  },
};

const TRANSLATION_FORM = { type: 'object', required: ['file', 'model'], properties: COMMON };

const FormDocs = (schema: object) =>
  applyDecorators(
    ApiTags('audio'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiConsumes('multipart/form-data'),
    ApiBody({ schema }),
  );

const content = (type: string, example: string) => ({
  [type]: { schema: { type: 'string' }, example },
});

export const TranscriptionDocs = () =>
  applyDecorators(
    FormDocs(FORM),
    ApiOperation({
      summary: 'Transcribe a recording',
      description:
        'Compatible with OpenAI. The embedded model `quipu-words` hears the English digits and ' +
        'twenty commands, and nothing else: other speech is listed as `unrecognized`, and noise, ' +
        'music and silence are an empty text. An upstream answers for its models. ' +
        'A recording has 60 seconds at most, and each of its milliseconds is charged.',
    }),
    ApiOkResponse({ type: TranscriptDto, description: 'The transcript, in the format asked for.' }),
  );

export const TranslationDocs = () =>
  applyDecorators(
    FormDocs(TRANSLATION_FORM),
    ApiOperation({
      summary: 'Translate a recording to English',
      description: 'Compatible with OpenAI, by an upstream: the embedded model does not translate.',
    }),
    ApiOkResponse({ type: TranscriptDto, description: 'The text in English.' }),
  );

const JOB_FORM = { type: 'object', required: ['file'], properties: { file: COMMON.file } };

export const TranscriptionJobDocs = () =>
  applyDecorators(
    FormDocs(JOB_FORM),
    ApiOperation({
      summary: 'Transcribe a long recording as a job',
      description:
        'By the embedded model. The whole recording is held; a job that ends early pays for the ' +
        'part that was heard.',
    }),
  );

export const TranscriptionJobTextDocs = () =>
  applyDecorators(
    ApiTags('audio'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiOperation({
      summary: 'Get the transcript of a job',
      description: 'Of a completed job, in any format of a transcription.',
    }),
  );

export const SpeechDocs = () =>
  applyDecorators(
    ApiTags('audio'),
    Credentials('api-key', 'app-token', 'renter-key'),
    ApiOperation({
      summary: 'Speak a text',
      description:
        'Compatible with OpenAI. An upstream speaks for its models, and espeak-ng, ' +
        'where it is installed, for `espeak-ng` and `tts-1`. The names of OpenAI are voices ' +
        'of espeak-ng there; any other voice of it may be named. Charged by the character.',
    }),
    ApiOkResponse({
      description: 'The sound.',
      content: content('audio/wav', 'RIFF…'),
    }),
  );
