import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  chunksOf,
  completionOf,
  DONE,
  eventOf,
  json,
  type Script,
  sse,
  startUpstream,
  statement,
  type Upstream,
  usageChunkOf,
} from '#areas/inference/rigs/upstream.fake.js';
import { type HoldReleased } from '#events/billing/account.events.js';
import { type RecordedEvent } from '#platform/event-store/event-store.port.js';
import { eventually, MODEL, scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { freePorts } from '../servers/server-process.js';
import { KillableQuipu } from './killable-quipu.js';
import { auditOf, openHoldsOf, wholeAnswersChargedTwice } from './ledger-of-log.js';

/** More for a long soak. */
const ROUNDS = Number(process.env['TEST_KILLS'] ?? 6);
const CALLERS = 16;
/** The longest a round runs before it is killed. */
const ROUND_MS_MAX = 700;
/** Longer than a restart on a busy machine: a retry frees a hold before the sweep does. */
const REQUEST_SECONDS = 8;

const USAGE = statement(9, 3);
const WORDS = ['Knots', ' keep', ' accounts'];

/** Callers whose requests the upstream keeps once a kill is due, so that it falls into them. */
const KEPT = /caller [01]\./;
const KEPT_CALLERS = 2;
let isKillDue = false;
let kept = 0;

/** Some answers are whole, some are streams, so that kills fall into both. */
const upstreamScript: Script = (response, received) => {
  if (isKillDue && KEPT.test(JSON.stringify(received.body))) {
    kept += 1;
    return;
  }
  const script =
    received.body['stream'] === true
      ? sse([...[...chunksOf(...WORDS), usageChunkOf(USAGE)].map(eventOf), DONE])
      : json(200, completionOf(WORDS.join(''), USAGE));
  setTimeout(() => script(response, received), 5);
};

/** Callers load a Quipu until it is killed. */
class Victim extends KillableQuipu {
  readonly acknowledged: string[] = [];
  /** The order of each caller: a caller that names a key asks for it again after a kill. */
  readonly #orders = Array.from({ length: CALLERS }, () => randomUUID());

  /** Asks again and again until the process is gone; remembers what was acknowledged. */
  async load(key: string): Promise<void> {
    await Promise.all(
      this.#orders.map(async (_, caller) => {
        const isKeyed = caller % 4 < 2;
        let isThere = true;
        while (isThere) {
          isThere = await this.#ask(key, caller, isKeyed);
          if (isThere || !isKeyed) this.#orders[caller] = randomUUID();
        }
      }),
    );
  }

  /** @returns whether that was the end of the order, rather than of the process */
  async #ask(key: string, caller: number, isKeyed: boolean): Promise<boolean> {
    const order = this.#orders[caller] ?? '';
    const stream = caller % 2 === 0;
    try {
      const response = await fetch(`${this.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${key}`,
          ...(isKeyed && { 'idempotency-key': order }),
        },
        body: JSON.stringify({
          model: MODEL,
          // A prompt, and so a hash of the prompt, of its own.
          messages: [{ role: 'user', content: `Tell caller ${caller}. ${order}` }],
          stream,
        }),
      });
      const text = await response.text();
      const id = stream
        ? /x-quipu-event-id=([0-9a-f-]+)/.exec(text)?.[1]
        : response.headers.get('x-quipu-event-id');
      if (id) this.acknowledged.push(id);
      return response.ok || text.includes('idempotency_answer_lost');
    } catch {
      return false;
    }
  }
}

const isFreedByRetry = ({ type, data, metadata }: RecordedEvent): boolean =>
  type === 'HoldReleased' && (data as HoldReleased['data']).holdId !== metadata.requestId;

describe('SIGKILL under load', () => {
  let home: string;
  let upstream: Upstream;
  let victim: Victim;

  beforeAll(async () => {
    upstream = await startUpstream(upstreamScript);
    home = await mkdtemp(path.join(tmpdir(), 'quipu-sigkill-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(upstream.baseUrl));
    const [port = 0] = await freePorts(1);
    victim = new Victim(home, port, catalog, {
      QUIPU_REQUEST_SECONDS: String(REQUEST_SECONDS),
      QUIPU_SETTLE_SECONDS: '1',
    });
  });

  afterAll(async () => {
    await victim.kill('SIGKILL');
    await upstream.close();
    await rm(home, { recursive: true, force: true });
  });

  it(`loses no acknowledged event, charges once, leaves no orphan, ${ROUNDS} times`, async () => {
    const charges: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await victim.start();
      const { api_key: key } = JSON.parse(
        await readFile(path.join(home, 'bootstrap.json'), 'utf8'),
      ) as { api_key: string };
      const loading = victim.load(key);
      // Rounds of unlike length, so that kills fall everywhere: between any two steps in the end.
      await sleep((ROUND_MS_MAX * (round + 1)) / ROUNDS);
      [isKillDue, kept] = [true, 0];
      while (kept < KEPT_CALLERS) await sleep(1);
      await victim.kill('SIGKILL');
      isKillDue = false;
      await loading;
      const events = await victim.events();
      const ids = new Set(events.map(({ id }) => id));
      expect(victim.acknowledged.filter((id) => !ids.has(id))).toEqual([]);
      expect(auditOf(events).faults).toEqual([]);
      charges.push(events.filter(({ type }) => type === 'HoldCaptured').length);
    }
    expect(charges.at(-1)).toBeGreaterThan(ROUNDS);
    const events = await victim.events();
    expect(wholeAnswersChargedTwice(events)).toEqual([]);
    // The keyed requests that the upstream kept, except in the last round.
    const freed = events.filter(isFreedByRetry).length;
    expect(freed).toBeGreaterThanOrEqual(KEPT_CALLERS * (ROUNDS - 1));
    await victim.start();
    await orphansAreSwept(victim);
    expect(await victim.checkLedger()).toMatchObject({ balanced: true, faults: [] });
    await victim.kill('SIGTERM');
  });
});

const orphansAreSwept = (victim: Victim): Promise<void> =>
  eventually(async () => openHoldsOf(await victim.events()) === 0);
