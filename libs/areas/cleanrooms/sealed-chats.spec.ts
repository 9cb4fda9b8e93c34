import { describe, expect, it } from '@jest/globals';
import { orderOf } from '#platform/chats/chat-order.fixture.js';
import { TokenTariff } from '#platform/chats/token-tariff.js';
import { type Clock } from '#platform/kernel/clock.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { EnclaveChats, REQUEST_MS_MAX as SEALED_MS_MAX } from './enclave/enclave-chats.js';
import { EnclaveError } from './enclave/enclave.engine.js';
import { RoomTurns, TURNS } from './enclave/room-turns.js';
import { HomomorphicChats, REQUEST_MS_MAX } from './homomorphic/homomorphic-chats.js';
import { HomomorphicError } from './homomorphic/homomorphic.engine.js';
import { ROOM_ID } from './rooms.fixture.js';

const MODEL = { id: 'acme/sealed', file: '/m.gguf', contextTokens: 100, maxOutputTokens: 50 };
const ANSWER = {
  reply: Buffer.from('sealed'),
  promptTokens: 9,
  completionTokens: 4,
  finishReason: 'stop',
} as const;
const EVALUATED = {
  ciphertext: Buffer.from('sealed'),
  ...{ multiplications: 1, rotations: 2, additions: 3 },
  ...{ levelsLeft: 2, scaleBits: 30, elapsedMs: 1 },
};
const rate = {
  ...{ version: 3, batchDiscountPercent: 0 },
  ...{ inputMicroUsdPerMtok: '1000000', outputMicroUsdPerMtok: '2000000' },
};
const rates = { rateFor: () => rate, idOf: () => MODEL.id };
const rooms = { find: () => Promise.resolve({}) };
const never = new AbortController().signal;

type Work<Result> = (signal: AbortSignal) => Promise<Result>;

const sealedChats = (paid: PaidRequests, clock: Clock, work: Work<unknown>): EnclaveChats =>
  new EnclaveChats(
    {
      demandKey: () => Promise.resolve({ spki: Buffer.alloc(44), log: [] }),
      infer: (_order: unknown, signal: AbortSignal) => work(signal),
    } as never,
    { find: () => MODEL, tariffOf: (id: string, at: number) => TokenTariff.at(rates, id, at) },
    rooms as never,
    new RoomTurns(),
    paid,
    { model: MODEL.id } as never,
    clock,
  );

const homomorphicChats = (paid: PaidRequests, clock: Clock, work: Work<unknown>) =>
  new HomomorphicChats(
    rooms as never,
    {
      find: () =>
        Promise.resolve({ address: 'a', bytes: 5, expiresAt: '2030', read: () => [] as never }),
    },
    new RoomTurns(),
    { run: (_keys: unknown, _asked: unknown, signal: AbortSignal) => work(signal) } as never,
    paid,
    {
      inForce: () => ({
        rateCardVersion: 3,
        prices: new Map(
          ['fhe_multiplications', 'fhe_rotations'].map((meter) => [
            meter,
            { unitPriceMicroUsd: '10', perUnits: 1 },
          ]),
        ),
      }),
    },
    clock,
  );

const SEALED = {
  model: MODEL.id,
  cleanroom_uuid: ROOM_ID,
  max_tokens: 10,
  messages: [{ role: 'user', content: Buffer.alloc(60, 1).toString('base64') }],
};
const CIPHERTEXT = {
  cleanroom_uuid: ROOM_ID,
  messages: [{ role: 'user', content: Buffer.from('5ea110040102', 'hex').toString('base64') }],
  fhe: { key_file_id: 'file-1', operation: 'linear', length: 3, weights: [1, 2, 3] },
};

paidWorkContract('sealed chats', {
  requestMsMax: SEALED_MS_MAX,
  open: (paid, clock, work) => {
    const chats = sealedChats(paid, clock, async () => {
      await Promise.resolve();
      work();
      return ANSWER;
    });
    return Promise.resolve((order, signal) =>
      chats.answer({ ...orderOf(SEALED, 'cleanroom_enclave_infer'), ...order }, signal),
    );
  },
});

paidWorkContract('evaluations on ciphertexts', {
  requestMsMax: REQUEST_MS_MAX,
  open: (paid, clock, work) => {
    const chats = homomorphicChats(paid, clock, async () => {
      await Promise.resolve();
      work();
      return EVALUATED;
    });
    return Promise.resolve((order, signal) =>
      chats.evaluate({ ...orderOf(CIPHERTEXT, 'cleanroom_fhe_eval'), ...order }, signal),
    );
  },
});

const open = () => {
  const ledger = new FakeLedger();
  const clock = { now: () => orderOf().receivedAtMs };
  return { ledger, clock, paid: new PaidRequests(ledger, { settleMsMax: 1 }, clock) };
};

describe('a sealed chat', () => {
  it('holds a token for each byte at most, and charges its tokens', async () => {
    const { ledger, clock, paid } = open();
    const chats = sealedChats(paid, clock, () => Promise.resolve(ANSWER));
    await chats.answer(orderOf(SEALED), never);
    expect(ledger.placed.lines).toMatchObject([{ quantity: 100 }, { quantity: 10 }]);
    expect(ledger.captured.lines).toMatchObject([{ quantity: 9 }, { quantity: 4 }]);
  });

  it('that its caller left is charged for the tokens that were written', async () => {
    const { ledger, clock, paid } = open();
    const cut = new RequestCutError('client_gone');
    const leaving = new AbortController();
    const chats = sealedChats(paid, clock, () => {
      leaving.abort(cut);
      return Promise.resolve(ANSWER);
    });
    expect(await chats.answer(orderOf(SEALED), leaving.signal)).toMatchObject({ cut });
    expect(ledger.ends).toEqual(['capture client_gone']);
  });

  it.each([
    ['unsealable', 'cleanroom_prompt_unreadable'],
    ['prompt_too_long', 'cleanroom_prompt_too_long'],
    ['model_failed', 'cleanroom_enclave_unavailable'],
  ] as const)('that is %s is free: %s', async (failure, code) => {
    const { ledger, clock, paid } = open();
    const error = new EnclaveError(failure, 'why');
    const chats = sealedChats(paid, clock, () => Promise.reject(error));
    await expect(chats.answer(orderOf(SEALED), never)).rejects.toMatchObject({ code });
    expect(ledger.ends).toEqual(['release refused']);
  });
});

describe('an evaluation', () => {
  it.each([
    ['ciphertext_malformed', 'fhe_ciphertext_malformed'],
    ['keys_insufficient', 'fhe_keys_insufficient'],
    ['crashed', 'fhe_unavailable'],
  ] as const)('with %s is free: %s', async (failure, code) => {
    const { ledger, clock, paid } = open();
    const error = new HomomorphicError(failure, 'why');
    const chats = homomorphicChats(paid, clock, () => Promise.reject(error));
    await expect(chats.evaluate(orderOf(CIPHERTEXT), never)).rejects.toMatchObject({ code });
    expect(ledger.ends).toEqual(['release refused']);
  });
});

describe('turns', () => {
  it('are for two of an account at once, and for sixteen that wait', async () => {
    const turns = new RoomTurns();
    let running = 0;
    let ended = (): void => undefined;
    const end = new Promise<void>((resolve) => (ended = resolve));
    const work = async (): Promise<void> => {
      running += 1;
      await end;
    };
    const all = Array.from({ length: 2 + TURNS.waitingMax }, () => turns.run('7', work));
    await new Promise(setImmediate);
    expect(running).toBe(2);
    await expect(turns.run('7', work)).rejects.toMatchObject({ kind: 'busy' });
    const other = turns.run('8', work);
    ended();
    await Promise.all([...all, other]);
    expect(running).toBe(3 + TURNS.waitingMax);
  });
});
