import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { parseNote, signersOf } from '#platform/audit/signed-note.js';
import { WordGuards } from '#platform/chats/chat-guards.fake.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import { decodePng } from '#platform/pictures/png-decoder.js';
import { encodePng } from '#platform/pictures/png-encoder.js';
import { textsOf } from '#platform/pictures/png-text.js';
import { pixelsSha256Of } from '#platform/pictures/picture-task.js';
import { RequestCutError } from '#platform/runtime/commands/request-cut.js';
import { TaskError } from '#platform/tasks/task.error.js';
import { type MadeImage } from './create-images.handler.js';
import { CLAIM_KEYWORD, parseClaim } from './image-claim.js';
import {
  askedOf,
  drawn,
  handlerOn,
  openImages,
  REQUEST,
  SETTINGS,
  signer,
  USER,
  WEIGHTS,
  type WorldOptions,
} from './images-world.fixture.js';

const fileOf = (image: MadeImage | undefined): Buffer =>
  image && 'file' in image.stored ? image.stored.file : Buffer.alloc(0);

const opened: { onModuleDestroy(): Promise<void> }[] = [];
afterAll(async () => {
  for (const pictures of opened) await pictures.onModuleDestroy();
});

paidWorkContract('images', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const { handler, pictures } = handlerOn(paid, clock, {
      draw: async () => {
        await Promise.resolve();
        work();
        return drawn();
      },
    });
    opened.push(pictures);
    const asked = askedOf({ response_format: 'b64_json' });
    return Promise.resolve((order, signal) =>
      handler.execute({ ...order, userId: USER, asked, start: null }, signal),
    );
  },
});

describe('pictures for a caller', () => {
  let world: ReturnType<typeof openImages>;
  const open = (options: WorldOptions = {}) => (world = openImages(options));
  afterEach(() => world.close());

  it('are drawn by the words that the rules of the operator leave', async () => {
    const guards = new WordGuards('square');
    const { create, tasks } = open({ guards });
    // Without a word for it the seed decides the shape.
    const { asked } = await create({ prompt: 'a red square', seed: 5 });
    expect(asked.prompt).toBe('a red [redacted]');
    expect(tasks).toMatchObject([{ scene: { shape: expect.not.stringContaining('square') } }]);
    expect(guards.works).toMatchObject([{ accountId: '7', requestId: REQUEST }]);
  });

  it('are held by steps and pixels, and charged as held', async () => {
    const { ledger, create, files } = open();
    const { images } = await create({ n: 2, quality: 'low', size: '256x256', seed: 5 });
    const lines = [
      { meter: 'image_pixel_steps', quantity: 2 * 8 * 1_024 },
      { meter: 'image_pixels', quantity: 2 * 65_536 },
    ];
    expect(ledger.placed).toMatchObject({
      lines,
      evidence: { engine: 'embedded:quipu-scenes', images: 2, width: 256, height: 256, steps: 8 },
    });
    expect(ledger.captured).toMatchObject({
      lines,
      excess: [],
      outcome: 'completed',
      evidence: { engine: `embedded:quipu-scenes@${WEIGHTS}`, made: 2, modelAsked: null },
    });
    expect(images.map(({ seed }) => seed)).toEqual([5, 6]);
    const ids = images.map(({ stored }) => 'id' in stored && stored.id);
    expect([...files.files.keys()]).toEqual(ids);
    expect([...files.files.values()]).toMatchObject([
      { accountId: '7', userId: 7, expiresAfterSeconds: 3_600 },
      {},
    ]);
  });

  it('have a signed claim of their pixels', async () => {
    const { create, ledger } = open();
    const { images } = await create({ response_format: 'b64_json', size: '512x512' });
    const file = fileOf(images[0]);
    const [claim = ''] = textsOf(file, CLAIM_KEYWORD);
    const note = parseNote(claim);
    expect(signersOf(note, [signer.key])).toEqual([signer.key]);
    expect(parseClaim(note.text)).toEqual({
      requestId: REQUEST,
      image: 1,
      images: 1,
      engine: `embedded:quipu-scenes@${WEIGHTS}`,
      width: 512,
      height: 512,
      pixelsSha256: pixelsSha256Of(decodePng(file)),
      log: { size: 7, root: 'cm9vdA==' },
    });
    expect(ledger.captured.evidence).toMatchObject({ claimHashes: [`hash of ${claim}`] });
  });

  it('are scenes of the prompt, with the seeds and steps that were asked for', async () => {
    const { create, tasks } = open();
    const { images, model } = await create({
      n: 2,
      seed: 2 ** 32 - 1,
      steps: 3,
      model: 'flux-schnell',
    });
    expect(model).toBe('quipu-scenes');
    expect(tasks).toMatchObject([
      { scene: { shape: 'star', colour: 'red' }, seed: 2 ** 32 - 1, steps: 3, start: null },
      { seed: 0 },
    ]);
    expect(images[0]?.revisedPrompt).toContain('red star');
  });

  it('start from a picture, cut to a square', async () => {
    const { create, tasks } = open();
    const pixels = new Uint8Array(64 * 32 * 3).fill(200);
    const start = encodePng({ width: 64, height: 32, pixels });
    await create({ strength: 0.25 }, start);
    expect(tasks[0]?.start).toEqual({
      pixels: Buffer.alloc(32 * 32 * 3, 200).toString('base64'),
      strength: 0.25,
    });
  });

  it('are free when their picture to start from is no PNG file', async () => {
    const { create, ledger } = open();
    await expect(create({}, Buffer.from('GIF89a'))).rejects.toMatchObject({
      code: 'image_unreadable',
    });
    expect(ledger.calls).toEqual(['place', 'release refused']);
  });

  it.each([
    ['sdxl-turbo', { model: 'sdxl-turbo' }, { kind: 'model' }],
    ['an unknown field', { style: 'vivid' }, { code: 'image_field_unsupported' }],
  ])('of %s are rejected before anything is held', async (_, body, error) => {
    const { create, ledger } = open();
    await expect(create(body)).rejects.toMatchObject(error);
    expect(ledger.calls).toEqual([]);
  });

  it('name the embedded model where no upstream serves another', async () => {
    const { create } = open();
    await expect(create({ model: 'sdxl-turbo' })).rejects.toThrow('quipu-scenes');
  });

  it('are not sold without a price', async () => {
    const { create, ledger } = open({ prices: { inForce: () => undefined } });
    await expect(create()).rejects.toMatchObject({ code: 'images_not_priced' });
    expect(ledger.calls).toEqual([]);
  });

  it.each([
    ['busy', 'busy'],
    ['no_worker', 'away'],
    ['model_damaged', 'failed'],
  ])('are free when the engine fails with %s', async (code, kind) => {
    const { create, ledger } = open({ draw: () => Promise.reject(new TaskError(code, 'why')) });
    await expect(create()).rejects.toMatchObject({ name: 'ImagesError', kind });
    expect(ledger.calls).toEqual(['place', 'release upstream_failed']);
  });

  it('are charged as far as they were made for a caller that left', async () => {
    const caller = new AbortController();
    const { create, ledger } = open({
      draw: ({ seed }) => {
        if (seed === 1) return Promise.resolve(drawn());
        caller.abort(new RequestCutError('client_gone'));
        return Promise.resolve(null);
      },
    });
    await expect(create({ n: 3, seed: 1 }, null, caller.signal)).rejects.toMatchObject({
      reason: 'client_gone',
    });
    expect(ledger.captured).toMatchObject({
      outcome: 'client_gone',
      evidence: { images: 3, made: 1 },
      lines: [{ quantity: 16 * 1_024 }, { quantity: 1_024 }],
    });
  });

  it('are free when their time is up', async () => {
    const late = AbortSignal.abort(new RequestCutError('timed_out'));
    const { create, ledger } = open({ draw: () => Promise.resolve(null) });
    await expect(create({}, null, late)).rejects.toMatchObject({ reason: 'timed_out' });
    expect(ledger.calls).toEqual(['place', 'release timed_out']);
  });
});
