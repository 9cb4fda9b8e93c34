import { wavOf } from '#engines/speech-recognition/audio/wav.fixture.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { engineHost } from '#platform/tasks/counting.engine.fake.js';
import { createLocalTasks } from '#platform/tasks/local-tasks.js';
import { type AudioSettings } from './audio.settings.js';
import { EmbeddedRecognizer, type HeardWindow } from './embedded-recognizer.js';
import { Recordings } from './recordings.js';
import { type HeardWord } from './speech-recognition.engine.js';
import { TranscribeHandler, type TranscriptionOrder } from './transcribe.handler.js';
import { readTranscriptionForm } from './transcription-form.js';
import { type AudioUpstream } from './upstreams/audio-upstreams.file.js';
import { AudioUpstreams } from './upstreams/audio-upstreams.js';

export const NOW = Date.parse('2026-11-26T01:00:00.000Z');
export const REQUEST_ID = '01996f4e-0000-7000-8000-000000000033';
export const WEIGHTS = 'a1'.repeat(32);

const METERS = ['audio_ms', 'upstream_audio_ms', 'speech_characters', 'upstream_speech_characters'];

export const prices = {
  inForce: () => ({
    rateCardVersion: 3,
    prices: new Map(METERS.map((meter) => [meter, { unitPriceMicroUsd: '2', perUnits: 1 }])),
  }),
};

export const SETTINGS: AudioSettings = {
  upstreamsFile: null,
  requestMsMax: 1_000,
  fileBytesMax: 1_000_000,
  jobSecondsMax: 3_600,
};

export const heardWord = (word: string | null, start: number, confidence = 0.99): HeardWord => ({
  word,
  start,
  end: start + 0.3,
  confidence,
});

/** @param until in samples */
export const windowOf = (heard: readonly HeardWord[], until: number): HeardWindow => ({
  heard,
  until,
  noSpeechProbability: 0.01,
  weightsSha256: WEIGHTS,
});

type Script = (signal: AbortSignal, from: number) => Iterable<HeardWindow>;

/** Hears what a script says. */
export class ScriptedRecognizer extends EmbeddedRecognizer {
  constructor(private readonly script: Script) {
    super(createLocalTasks(engineHost('in-process', 'spec')));
  }

  override async *hear(
    _: Buffer,
    signal: AbortSignal,
    from = 0,
  ): AsyncGenerator<HeardWindow, void, void> {
    await Promise.resolve();
    yield* this.script(signal, from);
  }
}

/** Two seconds of silence. */
export const wav = wavOf({ samples: new Float32Array(32_000) });

export const hashOf = (text: string): string => String(text.length % 10).repeat(64);

export const handlerOn = (
  paid: PaidRequests,
  script: Script,
  servers: readonly AudioUpstream[] = [],
  clock = { now: () => NOW },
): TranscribeHandler => {
  const upstreams = new AudioUpstreams(SETTINGS);
  upstreams.serve(servers);
  return new TranscribeHandler(
    new Recordings(),
    new ScriptedRecognizer(script),
    upstreams,
    paid,
    prices,
    hashOf,
    SETTINGS,
    clock,
  );
};

export const orderOf = (
  fields: Readonly<Record<string, string>> = {},
  task: 'transcribe' | 'translate' = 'transcribe',
): TranscriptionOrder => ({
  accountId: '7',
  receivedAtMs: NOW,
  context: contextOf(REQUEST_ID, 'user:7', { key: 'key-1' }),
  sound: { file: wav, filename: 'two.wav' },
  asked: readTranscriptionForm(Object.entries(fields), task),
});

/** A handler on a ledger of its own. */
export const openAudio = (script: Script, servers: readonly AudioUpstream[] = []) => {
  const ledger = new FakeLedger();
  const paid = new PaidRequests(ledger, { settleMsMax: 5_000 }, { now: () => NOW });
  return { ledger, handler: handlerOn(paid, script, servers) };
};
