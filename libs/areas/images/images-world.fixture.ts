import { UserId } from '#events/vocabulary.js';
import { NoteSigner } from '#platform/audit/signed-note.js';
import { type Clock } from '#platform/kernel/clock.js';
import { NO_GUARDS } from '#platform/chats/chat-guards.fake.js';
import { type ChatGuards } from '#platform/chats/chat-guards.port.js';
import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { type MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { CreateImagesHandler } from './create-images.handler.js';
import { EmbeddedPainter } from './embedded-painter.js';
import { ImageAdmission } from './image-admission.js';
import { type ImagesAsked, readImageBody } from './image-body.js';
import { type ImageEnd, type ImageTask } from './images.engine.js';
import { type ImagesSettings } from './images.settings.js';
import { Painters } from './painters.js';
import { Pictures } from '#platform/pictures/pictures.js';
import { type ImageUpstream } from './upstreams/image-upstreams.file.js';
import { ImageClaims, ImageFiles, type NewImageFile } from './ports.js';

export const REQUEST = '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f';
export const NOW = Date.parse('2026-11-26T10:00:00.000Z');
export const USER = UserId.parse(7);
export const WEIGHTS = 'ab'.repeat(32);
export const signer = new NoteSigner('quipu.test/log', Buffer.alloc(32, 3));

export const SETTINGS: ImagesSettings = {
  upstreamsFile: null,
  requestMsMax: 1_000,
  fileSecondsMax: 3_600,
};

export const PRICES: MeterPrices = {
  inForce: () => ({
    rateCardVersion: 3,
    prices: new Map([
      ['image_pixel_steps', { unitPriceMicroUsd: '20000', perUnits: 1_000_000 }],
      ['image_pixels', { unitPriceMicroUsd: '1000', perUnits: 1_000_000 }],
      ['upstream_images', { unitPriceMicroUsd: '40000', perUnits: 1 }],
    ]),
  }),
};

/** Keeps files, and claims at a place of a log. */
export class KeptFiles extends ImageFiles {
  readonly files = new Map<string, NewImageFile>();

  override create(file: NewImageFile, { requestId }: CommandContext): Promise<string> {
    this.files.set(requestId, file);
    return Promise.resolve(requestId);
  }

  override find() {
    return Promise.resolve(undefined);
  }
}

class SignedClaims extends ImageClaims {
  override place() {
    return Promise.resolve({ size: 7, root: 'cm9vdA==' });
  }

  override sign(text: string): string {
    return `${text}\n${signer.sign(text)}`;
  }
}

/** A grey picture for each task. */
export const drawn = (): ImageEnd => ({
  pixels: Buffer.alloc(32 * 32 * 3, 128).toString('base64'),
  weightsSha256: WEIGHTS,
  elapsedMs: 1,
});

export type Draw = (task: ImageTask) => Promise<ImageEnd | null>;

export const askedOf = (body: object = {}): ImagesAsked => {
  const read = readImageBody({ prompt: 'a red star', size: '32x32', ...body });
  if ('asked' in read) return read.asked;
  throw new Error(read.invalid.message);
};

export interface WorldOptions {
  readonly draw?: Draw;
  readonly prices?: MeterPrices;
  readonly upstreams?: readonly ImageUpstream[];
  readonly guards?: ChatGuards;
}

export const handlerOn = (paid: PaidRequests, clock: Clock, options: WorldOptions = {}) => {
  const { draw = () => Promise.resolve(drawn()), prices = PRICES, upstreams = [] } = options;
  const { guards = NO_GUARDS } = options;
  const tasks: ImageTask[] = [];
  const engine = {
    async *run(_: unknown, task: ImageTask) {
      tasks.push(task);
      return await draw(task);
    },
  } as unknown as Tasks;
  const hash = (text: string): string => `hash of ${text}`;
  const [pictures, files, claims] = [new Pictures(), new KeptFiles(), new SignedClaims()];
  const painters = new Painters(new EmbeddedPainter(engine, pictures), SETTINGS);
  painters.serve(upstreams);
  const handler = new CreateImagesHandler(
    painters,
    new ImageAdmission(paid, prices, hash, SETTINGS, clock),
    pictures,
    files,
    claims,
    guards,
    SETTINGS,
  );
  return { handler, tasks, files, pictures };
};

/** The handler on fakes; call `close` at the end. */
export const openImages = (options: WorldOptions = {}) => {
  const ledger = new FakeLedger();
  const clock = { now: () => NOW };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  const { handler, pictures, ...world } = handlerOn(paid, clock, options);
  const create = (
    body: object = {},
    start: Uint8Array | null = null,
    signal = new AbortController().signal,
  ) =>
    handler.execute(
      {
        accountId: '7',
        userId: USER,
        receivedAtMs: NOW,
        asked: askedOf(body),
        start,
        context: contextOf(REQUEST, 'user:7'),
      },
      signal,
    );
  return { ...world, ledger, create, close: () => pictures.onModuleDestroy() };
};
