import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NO_GUARDS, WordGuards } from '#platform/chats/chat-guards.fake.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { hashOf, NOW, prices, REQUEST_ID, SETTINGS } from './audio-world.fixture.js';
import { AudioRunError } from './audio.errors.js';
import { Recordings } from './recordings.js';
import { SpeakHandler, type SpeechOrder } from './speak.handler.js';
import { AudioUpstreams, type ServedModel, type SpokenText } from './upstreams/audio-upstreams.js';

const never = new AbortController().signal;
const SOUND = { bytes: Buffer.from('ID3'), contentType: 'audio/mpeg' };

const orderOf = (model: string, changes: Partial<SpeechOrder['text']> = {}): SpeechOrder => ({
  accountId: '7',
  receivedAtMs: NOW,
  context: contextOf(REQUEST_ID, 'user:7', { key: 'key-1' }),
  model,
  text: {
    input: 'Three knots 🪢',
    voice: 'alloy',
    format: 'mp3',
    speed: 1,
    instructions: null,
    ...changes,
  },
});

const SERVED: ServedModel = {
  server: {
    name: 'theirs',
    server: 'openai',
    base_url: 'http://127.0.0.1:1',
    inference_path: '/inference',
    transcription_models: [],
    speech_models: [],
  },
  upstreamId: 'tts-x',
  timestamps: false,
};

/** An upstream that speaks for `theirs`. */
class ScriptedUpstreams extends AudioUpstreams {
  readonly spoken: SpokenText[] = [];

  constructor(private readonly work: () => void) {
    super(SETTINGS);
  }

  override speaking(model: string): ServedModel | null {
    return model === 'theirs' ? SERVED : null;
  }

  override async speak(_served: unknown, text: SpokenText): Promise<typeof SOUND> {
    await Promise.resolve();
    this.spoken.push(text);
    this.work();
    return SOUND;
  }
}

const handlerOn = (
  paid: PaidRequests,
  work: () => void = () => undefined,
  clock = { now: () => NOW },
): SpeakHandler =>
  new SpeakHandler(
    new Recordings(),
    new ScriptedUpstreams(work),
    paid,
    prices,
    NO_GUARDS,
    hashOf,
    SETTINGS,
    clock,
  );

const open = (work?: () => void) => {
  const ledger = new FakeLedger();
  const paid = new PaidRequests(ledger, { settleMsMax: 5_000 }, { now: () => NOW });
  return { ledger, handler: handlerOn(paid, work) };
};

paidWorkContract('speech', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const handler = handlerOn(paid, work, clock);
    return Promise.resolve((order, signal) =>
      handler.execute({ ...orderOf('theirs'), ...order }, signal),
    );
  },
});

describe('a speech', () => {
  it('of an upstream is charged by the characters that a reader counts', async () => {
    const { handler, ledger } = open();
    const spoken = await handler.execute(orderOf('theirs'), never);
    expect(spoken).toMatchObject({ ...SOUND, model: 'tts-x' });
    const line = { meter: 'upstream_speech_characters', quantity: 13, unitPriceMicroUsd: '2' };
    expect(ledger.placed).toMatchObject({ purpose: 'speech', lines: [line] });
    expect(ledger.captured).toMatchObject({
      lines: [line],
      bytesOut: 3,
      evidence: {
        model: { asked: 'theirs', answered: 'tts-x' },
        engine: 'upstream:theirs',
        characters: 13,
        voice: 'alloy',
        format: 'mp3',
      },
    });
    expect(JSON.stringify(ledger.captured)).not.toContain('knots');
  });

  it('is spoken and charged as the rules of the operator leave it', async () => {
    const ledger = new FakeLedger();
    const clock = { now: () => NOW };
    const paid = new PaidRequests(ledger, { settleMsMax: 5_000 }, clock);
    const upstreams = new ScriptedUpstreams(() => undefined);
    const guards = new WordGuards('knots');
    const parts = [new Recordings(), upstreams, paid, prices, guards, hashOf] as const;
    const handler = new SpeakHandler(...parts, SETTINGS, clock);
    await handler.execute(orderOf('theirs', { instructions: 'Say knots.' }), never);
    expect(upstreams.spoken).toMatchObject([
      { input: 'Three [redacted] 🪢', instructions: 'Say [redacted].' },
    ]);
    expect(guards.works).toEqual([{ accountId: '7', model: 'theirs', requestId: REQUEST_ID }]);
    expect(ledger.captured).toMatchObject({ evidence: { characters: 18 } });
  });

  it('that fails, or whose caller leaves, is free', async () => {
    const failing = open(() => {
      throw new AudioRunError('away', 'the server does not answer');
    });
    await expect(failing.handler.execute(orderOf('theirs'), never)).rejects.toThrow('not answer');
    expect(failing.ledger.calls).toEqual(['place', 'release upstream_failed']);
    const leaving = new AbortController();
    const left = open(() => {
      leaving.abort(new RequestCutError('client_gone'));
      leaving.signal.throwIfAborted();
    });
    const work = left.handler.execute(orderOf('theirs'), leaving.signal);
    await expect(work).rejects.toThrow('the caller left');
    expect(left.ledger.calls).toEqual(['place', 'release client_gone']);
  });

  it.each<[string, Partial<SpeechOrder['text']>, string, string]>([
    ['tts-9', {}, 'audio_model_unavailable', 'model: no upstream has tts-9'],
    ['tts-1', { voice: '--path=/etc' }, 'audio_field_invalid', 'voice: expected a voice'],
    ['tts-1', { speed: 4 }, 'audio_field_invalid', 'speed: expected 0.5 to 2.5'],
    ['tts-1', { instructions: 'Sing.' }, 'audio_field_unsupported', 'instructions: espeak-ng'],
  ])('by the program is rejected as %s with %j before its hold', async (...rejected) => {
    const [model, changes, code, message] = rejected;
    const { handler, ledger } = open();
    await expect(handler.execute(orderOf(model, changes), never)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(ledger.calls).toEqual([]);
  });
});

describe('a speech on a machine without espeak-ng', () => {
  const { PATH } = process.env;

  beforeEach(() => {
    process.env['PATH'] = import.meta.dirname;
  });

  afterEach(() => {
    process.env['PATH'] = PATH;
  });

  it.each(['tts-1', 'espeak-ng'])('says of %s what is missing, and is free', async (model) => {
    const { handler, ledger } = open();
    await expect(handler.execute(orderOf(model), never)).rejects.toMatchObject({
      code: 'audio_program_missing',
      message: expect.stringContaining('espeak-ng is not installed on this machine'),
    });
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });
});
