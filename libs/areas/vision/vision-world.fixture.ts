import { FakeLedger } from '#platform/ledger/ledger.fake.js';
import { type MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { type Clock } from '#platform/kernel/clock.js';
import { encodePng } from '#platform/pictures/png-encoder.js';
import { Pictures } from '#platform/pictures/pictures.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type Tasks } from '#platform/tasks/tasks.port.js';
import { LookAdmission } from './look-admission.js';
import { type FrameOrder, LookAtFrameHandler } from './look-at-frame.handler.js';
import { Looker } from './looker.js';
import { type LiveFrame, LiveFrames } from './ports.js';
import { type VisionEnd, type VisionTask } from './vision.engine.js';
import { VisionStreams } from './vision-streams.js';

export const REQUEST = '0198c2f1-7a3b-7c5d-8e9f-0a1b2c3d4e5f';
export const NOW = Date.parse('2026-11-26T10:00:00.000Z');
export const WEIGHTS = 'ab'.repeat(32);
export const SETTINGS = { requestMsMax: 1_000, streamIdleMs: 60_000 };
export const PRICES: MeterPrices = {
  inForce: () => ({
    rateCardVersion: 3,
    prices: new Map([['vision_frames', { unitPriceMicroUsd: '100', perUnits: 1 }]]),
  }),
};

/** 16 by 8 grey pixels. */
export const FRAME = encodePng({
  width: 16,
  height: 8,
  pixels: new Uint8Array(16 * 8 * 3).fill(128),
});

export const star = (left: number): VisionEnd['objects'][number] => ({
  label: 'star',
  category: 'shape',
  colour: 'red',
  confidence: 0.9,
  box: [left, 0, left + 0.2, 0.2],
  contour: null,
});

export const seen = (...objects: VisionEnd['objects']): VisionEnd => ({
  objects,
  anomaly: { error: 0.1, threshold: 0.2 },
  background: null,
  weightsSha256: WEIGHTS,
  elapsedMs: 4,
});

export type Look = (task: VisionTask) => Promise<VisionEnd | null>;

class KeptFrames extends LiveFrames {
  readonly sessions = new Map<string, LiveFrame | null>();

  override frameOf(accountId: string, sessionId: string) {
    return Promise.resolve(this.sessions.get(`${accountId}/${sessionId}`));
  }
}

export interface VisionWorldOptions {
  readonly look?: Look;
  readonly prices?: MeterPrices;
}

export const visionOn = (paid: PaidRequests, clock: Clock, options: VisionWorldOptions = {}) => {
  const { look = () => Promise.resolve(seen(star(0))), prices = PRICES } = options;
  const tasks: VisionTask[] = [];
  const engine = {
    async *run(_: unknown, task: VisionTask) {
      tasks.push(task);
      return await look(task);
    },
  } as unknown as Tasks;
  const [pictures, live] = [new Pictures(), new KeptFrames()];
  const looker = new Looker(engine, pictures);
  const admission = new LookAdmission(paid, prices, (text) => `hash of ${text}`, SETTINGS, clock);
  const handler = new LookAtFrameHandler(
    looker,
    admission,
    new VisionStreams(SETTINGS, clock),
    live,
  );
  return { handler, looker, tasks, live, pictures };
};

export const orderOf = (changes: Partial<FrameOrder> = {}): FrameOrder => ({
  accountId: '7',
  receivedAtMs: NOW,
  look: { mode: 'detect', confidence: 0.3, overlap: 0.5 },
  file: FRAME,
  sessionId: null,
  streamId: null,
  frameId: null,
  context: contextOf(REQUEST, 'user:7'),
  ...changes,
});

/** The handler on fakes; call `close` at the end. */
export const openVision = (options: VisionWorldOptions = {}) => {
  const ledger = new FakeLedger();
  const clock = { nowMs: NOW, now: () => clock.nowMs };
  const paid = new PaidRequests(ledger, { settleMsMax: 60_000 }, clock);
  const { handler, pictures, ...world } = visionOn(paid, clock, options);
  const look = (changes: Partial<FrameOrder> = {}, signal = new AbortController().signal) =>
    handler.execute(orderOf({ receivedAtMs: clock.nowMs, ...changes }), signal);
  return { ...world, ledger, clock, look, close: () => pictures.onModuleDestroy() };
};
