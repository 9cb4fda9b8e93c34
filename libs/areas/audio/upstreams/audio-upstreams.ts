import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { request } from 'undici';
import { boundedBytes } from '#platform/kernel/bounded-bytes.js';
import { formBody } from '#platform/network/form-body.js';
import { addressOf, authorizationOf } from '#platform/runtime/areas/upstreams-file.js';
import { type ListedModel, type ModelSource } from '#platform/runtime/areas/model-source.js';
import { AudioRunError, reject } from '../audio.errors.js';
import { AUDIO_METER, UPSTREAM_AUDIO_METER, UPSTREAM_SPEECH_METER } from '../audio.product.js';
import { AUDIO_SETTINGS, type AudioSettings } from '../audio.settings.js';
import { EMBEDDED_MODEL } from '../embedded-recognizer.js';
import { type TranscriptionAsked } from '../transcription-form.js';
import { type Transcript } from '../transcript.js';
import { type AudioUpstream, readAudioUpstreams } from './audio-upstreams.file.js';
import { transcriptIn } from './upstream-answer.js';

const HEARS = ['/v1/audio/transcriptions', '/v1/audio/translations'];
const SPEAKS = ['/v1/audio/speech'];
const TEXT_BYTES_MAX = 8 * 1_048_576;
const SOUND_BYTES_MAX = 64 * 1_048_576;
const ERROR_CHARACTERS_MAX = 300;

/** A model of a server. */
export interface ServedModel {
  readonly server: AudioUpstream;
  readonly upstreamId: string;
  /** Whether it states times. */
  readonly timestamps: boolean;
}

export interface UploadedSound {
  readonly file: Buffer;
  readonly filename: string;
}

export interface SpokenText {
  readonly input: string;
  readonly voice: string;
  readonly format: string;
  readonly speed: number;
  readonly instructions: string | null;
}

interface Answered {
  readonly bytes: Buffer;
  readonly contentType: string;
}

/** The servers of the operator that transcribe and speak, by the names of their models. */
@Injectable()
export class AudioUpstreams implements OnModuleInit, ModelSource {
  #servers: readonly AudioUpstream[] = [];

  constructor(@Inject(AUDIO_SETTINGS) private readonly settings: AudioSettings) {}

  /** @throws SettingsError for a file that cannot be used: the process does not start */
  async onModuleInit(): Promise<void> {
    const { upstreamsFile } = this.settings;
    if (upstreamsFile !== null) this.serve(await readAudioUpstreams(upstreamsFile));
  }

  /** Gives the models of these servers to them. */
  serve(servers: readonly AudioUpstream[]): void {
    this.#servers = servers;
  }

  get listedModels(): readonly ListedModel[] {
    const listed = (id: string, ownedBy: string, endpoints: readonly string[], meter: string) => {
      return { id, createdEpochSeconds: 0, ownedBy, endpoints, meters: [meter] };
    };
    return [
      listed(EMBEDDED_MODEL, 'quipu', HEARS, AUDIO_METER),
      ...this.#servers.flatMap(({ server, transcription_models: hears, speech_models: speaks }) => [
        ...hears.map(({ id }) => listed(id, `upstream:${server}`, HEARS, UPSTREAM_AUDIO_METER)),
        ...speaks.map(({ id }) => listed(id, `upstream:${server}`, SPEAKS, UPSTREAM_SPEECH_METER)),
      ]),
    ];
  }

  transcribing(model: string): ServedModel | null {
    for (const server of this.#servers) {
      const found = server.transcription_models.find(({ id }) => id === model);
      if (found) {
        const { id, upstream_id: upstreamId = id, timestamps } = found;
        return { server, upstreamId, timestamps };
      }
    }
    return null;
  }

  speaking(model: string): ServedModel | null {
    for (const server of this.#servers) {
      const found = server.speech_models.find(({ id }) => id === model);
      if (found) {
        const { id, upstream_id: upstreamId = id } = found;
        return { server, upstreamId, timestamps: false };
      }
    }
    return null;
  }

  /** @throws DomainError for a request that the server rejects; AudioRunError */
  async transcribe(
    { server, upstreamId, timestamps }: ServedModel,
    { file, filename }: UploadedSound,
    asked: TranscriptionAsked,
    known: Pick<Transcript, 'seconds' | 'model' | 'engine'>,
    signal: AbortSignal,
  ): Promise<Transcript> {
    const form = new FormData();
    form.set('file', new File([new Uint8Array(file)], filename));
    form.set('response_format', timestamps ? 'verbose_json' : 'json');
    const isWhisperCpp = server.server === 'whisper.cpp';
    if (!isWhisperCpp) form.set('model', upstreamId);
    if (asked.language !== null) form.set('language', asked.language);
    if (asked.prompt !== null) form.set('prompt', asked.prompt);
    if (asked.temperature !== null) form.set('temperature', String(asked.temperature));
    if (isWhisperCpp && asked.task === 'translate') form.set('translate', 'true');
    if (timestamps && server.server === 'openai') {
      for (const granularity of asked.granularities) {
        form.append('timestamp_granularities[]', granularity);
      }
      if (!asked.granularities.includes('segment')) {
        form.append('timestamp_granularities[]', 'segment');
      }
    }
    const tasks = { transcribe: '/audio/transcriptions', translate: '/audio/translations' };
    const path = isWhisperCpp ? server.inference_path : tasks[asked.task];
    const { bytes } = await this.#post(server, path, form, TEXT_BYTES_MAX, signal);
    return transcriptIn(parsed(bytes), known) ?? malformed(server);
  }

  /** @throws as `transcribe` */
  async speak(
    { server, upstreamId }: ServedModel,
    { input, voice, format, speed, instructions }: SpokenText,
    signal: AbortSignal,
  ): Promise<Answered> {
    const body = JSON.stringify({
      model: upstreamId,
      input,
      voice,
      response_format: format,
      speed,
      ...(instructions !== null && { instructions }),
    });
    return this.#post(server, '/audio/speech', body, SOUND_BYTES_MAX, signal);
  }

  async #post(
    server: AudioUpstream,
    path: string,
    body: FormData | string,
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<Answered> {
    const { contentType: sentType, bytes: sent } =
      typeof body === 'string'
        ? { contentType: 'application/json', bytes: body }
        : await formBody(body);
    const headers = {
      'content-type': sentType,
      ...authorizationOf(server),
    };
    let status: number;
    let answered: Answered;
    try {
      const response = await request(addressOf(server, path), {
        method: 'POST',
        headers,
        body: sent,
        signal,
      });
      status = response.statusCode;
      const type = response.headers['content-type'];
      const contentType = typeof type === 'string' ? type : 'application/octet-stream';
      const bytes = await boundedBytes(response.body, bytesMax, () => {
        return new AudioRunError('failed', `the answer has over ${bytesMax} bytes`);
      });
      answered = { bytes, contentType };
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof AudioRunError) throw cause;
      throw new AudioRunError('away', `the server ${server.name} does not answer`, { cause });
    }
    if (status >= 200 && status < 300) return answered;
    throw failureOf(server, status, answered.bytes);
  }
}

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
};

const malformed = ({ name }: AudioUpstream): never => {
  throw new AudioRunError('failed', `the server ${name} sent no transcript`);
};

/** A request that the server rejects is the caller's fault; its text says why. */
const failureOf = ({ name }: AudioUpstream, status: number, bytes: Buffer): Error => {
  if (status === 429 || status === 503) {
    return new AudioRunError('busy', `the server ${name} is busy; try again`);
  }
  const isOfCaller = status === 400 || status === 413 || status === 415 || status === 422;
  if (!isOfCaller) return new AudioRunError('failed', `the server ${name} answered ${status}`);
  return rejectionOf(name, parsed(bytes));
};

const rejectionOf = (name: string, body: unknown): never => {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : body;
  const isObject = typeof error === 'object' && error !== null && 'message' in error;
  const stated = isObject ? error.message : error;
  const reason = typeof stated === 'string' ? stated.slice(0, ERROR_CHARACTERS_MAX) : 'no reason';
  return reject('audio_field_invalid', `the server ${name} rejected the request: ${reason}`);
};
