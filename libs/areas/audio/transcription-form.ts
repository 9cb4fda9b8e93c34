import { reject } from './audio.errors.js';
import {
  GRANULARITIES,
  type Granularity,
  RESPONSE_FORMATS,
  type ResponseFormat,
} from './transcript-formats.js';

/** The fields of OpenAI's form, without the file. */
export interface TranscriptionAsked {
  /** Null: the embedded model. */
  readonly model: string | null;
  /** As ISO 639-1; null: not stated. */
  readonly language: string | null;
  readonly prompt: string | null;
  readonly format: ResponseFormat;
  readonly temperature: number | null;
  readonly granularities: readonly Granularity[];
  readonly isStream: boolean;
  readonly task: 'transcribe' | 'translate';
}

const LISTED = /\[\]$/;
const MODEL = /^[\w./:@+-]{1,256}$/;
const LANGUAGE = /^[a-z]{2,3}$/;
const TEMPERATURE = /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/;

type Fields = readonly (readonly [name: string, value: string])[];

const FIELDS = [
  'model',
  'language',
  'prompt',
  'response_format',
  'temperature',
  'timestamp_granularities',
  'stream',
  'chunking_strategy',
  'user',
];

const invalid = (name: string, expected: string, received: string): never =>
  reject('audio_field_invalid', `${name}: expected ${expected}, received ${received.slice(0, 64)}`);

const oneOf = <const Value extends string>(
  name: string,
  values: readonly Value[],
  received: string,
): Value =>
  values.find((value) => value === received) ?? invalid(name, values.join(', '), received);

const matching = (name: string, value: string | undefined, shape: RegExp, expected: string) => {
  if (value === undefined || value === '') return null;
  return shape.test(value) ? value : invalid(name, expected, value);
};

/**
 * Reads the fields of a form.
 * @throws DomainError that names the field
 */
export const readTranscriptionForm = (
  fields: Fields,
  task: TranscriptionAsked['task'],
): TranscriptionAsked => {
  const values = new Map<string, string>();
  const granularities = new Set<Granularity>();
  for (const [written, value] of fields) {
    const name = written.replace(LISTED, '');
    if (!FIELDS.includes(name)) {
      return reject('audio_field_unsupported', `${written}: this field is not supported`);
    }
    if (name === 'timestamp_granularities') granularities.add(oneOf(written, GRANULARITIES, value));
    else if (values.has(name)) return invalid(written, 'one value', 'another one');
    else values.set(name, value);
  }
  const format = oneOf(
    'response_format',
    RESPONSE_FORMATS,
    values.get('response_format') ?? 'json',
  );
  const isStream = oneOf('stream', ['true', 'false'], values.get('stream') ?? 'false') === 'true';
  oneOf('chunking_strategy', ['auto'], values.get('chunking_strategy') ?? 'auto');
  if (granularities.size > 0 && format !== 'verbose_json') {
    invalid('timestamp_granularities', 'the response_format verbose_json', format);
  }
  if (isStream && (task === 'translate' || (format !== 'json' && format !== 'text'))) {
    invalid('stream', 'false for a translation, captions and verbose_json', 'true');
  }
  const temperature = values.get('temperature');
  return {
    task,
    format,
    isStream,
    model: matching('model', values.get('model'), MODEL, 'the name of a model'),
    language: matching('language', values.get('language'), LANGUAGE, 'a code of ISO 639-1'),
    prompt: values.get('prompt') || null,
    temperature:
      temperature === undefined
        ? null
        : Number(matching('temperature', temperature, TEMPERATURE, 'a number from 0 to 1')),
    granularities: granularities.size > 0 ? [...granularities] : ['segment'],
  };
};
