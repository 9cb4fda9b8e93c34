import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { type RentalDto } from '#apps/gateway/rentals/rentals.dto.js';
import { freePorts } from '../servers/server-process.js';
import { KillableQuipu } from './killable-quipu.js';

const MIB = 1_024 ** 2;
/** `TEST_SYNC_MIB=1024 npm test -- test/fault/rentals.spec.ts` syncs the largest file. */
const SYNCED_MIB = Number(process.env['TEST_SYNC_MIB'] ?? 192);
/** Whatever the file has: of pieces, windows, pages and what the collector has not freed yet. */
const GROWTH_MIB_MAX = 160;
const PIECE_BYTES = MIB;
const WINDOW_BYTES = 8 * MIB;

const CATALOG = `
rigs:
  - { name: rack, kind: openai, base_url: http://127.0.0.1:9/v1, hourly_usd: 3.6 }
models:
  - { id: acme/one, upstream_id: one, owned_by: acme, rigs: [rack], context: 1024,
      max_output: 64, price: { input_usd_per_mtok: 1, output_usd_per_mtok: 2 } }
`;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** An integer of RFC 3284. */
const integer = (value: number): readonly number[] => {
  const digits = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(128 + (rest % 128));
  }
  return digits;
};

/** A delta that puts the windows of a file into the opposite order. */
const reversing = (bytes: number): Buffer => {
  const windows: number[] = [];
  for (let from = bytes - WINDOW_BYTES; from >= 0; from -= WINDOW_BYTES) {
    const copy = [19, ...integer(WINDOW_BYTES)];
    const body = [...integer(WINDOW_BYTES), 0, 0, ...integer(copy.length), 1, ...copy, 0];
    windows.push(1, ...integer(WINDOW_BYTES), ...integer(from), ...integer(body.length), ...body);
  }
  return Buffer.from([0xd6, 0xc3, 0xc4, 0, 0, ...windows]);
};

describe('rentals of a process that is killed', () => {
  let home: string;
  let quipu: KillableQuipu;
  let key: string;

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-rentals-'));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, CATALOG);
    const [port = 0] = await freePorts(1);
    quipu = new KillableQuipu(home, port, catalog, {
      QUIPU_RENTAL_ENGINE: 'process',
      QUIPU_RENTAL_GRACE_SECONDS: '0',
      QUIPU_INSTANCE: 'victim',
      QUIPU_JOB_SILENCE_SECONDS: '4',
      QUIPU_JOB_STOP_SECONDS: '2',
      QUIPU_LEASE_TTL_MS: '1500',
      QUIPU_LEASE_RENEW_MS: '400',
    });
    await quipu.start();
    const text = await readFile(path.join(home, 'bootstrap.json'), 'utf8');
    ({ renter_key: key } = JSON.parse(text) as Bootstrap);
  });

  afterAll(async () => {
    await quipu.kill('SIGTERM');
    await rm(home, { recursive: true, force: true });
  });

  const call = async (method: string, where: string, body?: object): Promise<Response> =>
    fetch(`${quipu.url}/api/v1/rentals${where}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const rentalOf = async (answer: Response): Promise<RentalDto> =>
    ((await answer.json()) as { readonly rental: RentalDto }).rental;
  const start = async (script: string): Promise<RentalDto> =>
    rentalOf(await call('POST', '', { rig: 'rack', command: ['/bin/sh', '-c', script] }));
  const when = async (
    number: number,
    isReached: (rental: RentalDto) => boolean,
  ): Promise<RentalDto> => {
    for (;;) {
      const rental = await rentalOf(await call('GET', `/${number}`));
      if (isReached(rental)) return rental;
      await sleep(50);
    }
  };
  const stop = async (number: number): Promise<RentalDto> => {
    await call('POST', `/${number}/stop`, {});
    return when(number, ({ charge }) => charge !== null);
  };
  /** The processes that the program has reported, one for each start. */
  const pidsOf = async (number: number, count: number): Promise<readonly number[]> => {
    for (;;) {
      const log = await (await call('GET', `/${number}/logs`)).text();
      const pids = [...log.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));
      if (pids.length >= count) return pids;
      await sleep(50);
    }
  };

  it('are started again in their workspace, or ended, after what is left of them', async () => {
    const script = 'echo "pid $$"; touch "start-$$"; sleep 600 & wait';
    const [{ job_id: number }, { job_id: stopped }] = [await start(script), await start(script)];
    const [[first = 0], [left = 0]] = [await pidsOf(number, 1), await pidsOf(stopped, 1)];
    await when(stopped, ({ status }) => status === 'running');
    await call('POST', `/${stopped}/stop`, {});
    await quipu.kill('SIGKILL');
    expect(isAlive(first)).toBe(true);
    await quipu.start();
    const [, second = 0] = await pidsOf(number, 2);
    expect([isAlive(first), isAlive(second)]).toEqual([false, true]);
    const { job_uuid: id } = await when(number, ({ status }) => status === 'running');
    const workspace = path.join(home, 'rentals/by-id', id, 'workspace');
    for (const pid of [first, second]) await stat(path.join(workspace, `start-${pid}`));
    await when(stopped, ({ status }) => status === 'cancelled');
    while (isAlive(left)) await sleep(50);
    const { charge, seconds } = await stop(number);
    expect(charge).toEqual({ outcome: 'charged', amount_micro_usd: String(seconds * 1_000) });
    expect(isAlive(second)).toBe(false);
    expect(await quipu.checkLedger()).toMatchObject({ success: true });
  });

  describe('file sync', () => {
    /** Sends a form whose content is never in memory as a whole. */
    const sync = async (fields: Readonly<Record<string, string>>, content: Readable) => {
      const boundary = 'cut-here';
      const head = (name: string, more = ''): string =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
      const before = Object.entries(fields).map(([name, value]) => `${head(name)}${value}\r\n`);
      async function* form() {
        yield Buffer.from(`${before.join('')}${head('file_content', '; filename="f"')}`);
        yield* content as AsyncIterable<Buffer>;
        yield Buffer.from(`\r\n--${boundary}--\r\n`);
      }
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      const sent = request(`${quipu.url}/api/jobs/sync_file`, { method: 'POST', headers });
      const answered = new Promise<IncomingMessage>((resolve, reject) => {
        sent.on('response', resolve).on('error', reject);
      });
      await pipeline(Readable.from(form()), sent);
      return JSON.parse((await Array.fromAsync(await answered)).join('')) as object;
    };

    const rssMib = async (): Promise<number> => {
      const status = await readFile(`/proc/${quipu.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
    };

    /** How much memory the work needs at most, above what the process had before. */
    const growthMibOf = async (work: () => Promise<void>): Promise<number> => {
      const before = await rssMib();
      let [highest, isOver] = [before, false];
      const watching = (async () => {
        while (!isOver) {
          highest = Math.max(highest, await rssMib());
          await sleep(20);
        }
      })();
      await work();
      isOver = true;
      await watching;
      return highest - before;
    };

    it(`of ${SYNCED_MIB} MiB, whole and as a delta, needs bounded memory`, async () => {
      const { job_id: number, job_uuid: id } = await start('sleep 600 & wait');
      await when(number, ({ status }) => status === 'running');
      const windows = Math.floor((SYNCED_MIB * MIB) / WINDOW_BYTES);
      const piece = randomBytes(PIECE_BYTES);
      /** Every piece differs, so that no copy from a wrong place goes unnoticed. */
      const pieceAt = (index: number): Buffer => {
        piece.writeUInt32BE(index);
        return Buffer.from(piece);
      };
      const perWindow = WINDOW_BYTES / PIECE_BYTES;
      const digestOf = (order: readonly number[]): string => {
        const hash = createHash('sha256');
        for (const window of order) {
          for (let at = 0; at < perWindow; at += 1) hash.update(pieceAt(window * perWindow + at));
        }
        return hash.digest('hex');
      };
      const order = Array.from({ length: windows }, (_, window) => window);
      const fields = { api_key: key, job_id: String(number), file_path: 'weights.bin' };
      function* whole() {
        for (let index = 0; index < windows * perWindow; index += 1) yield pieceAt(index);
      }
      const size = windows * WINDOW_BYTES;
      const growth = await growthMibOf(async () => {
        const [before, after] = [digestOf(order), digestOf(order.toReversed())];
        const full = await sync({ ...fields, checksum: before }, Readable.from(whole()));
        expect(full).toMatchObject({ success: true, size, checksum: before });
        const digests = { is_delta: '1', base_checksum: before, checksum: after };
        const delta = Readable.from([reversing(size)]);
        const patched = await sync({ ...fields, ...digests }, delta);
        expect(patched).toMatchObject({ success: true, size, checksum: after });
      });
      process.stdout.write(`memory grew by ${growth.toFixed(0)} MiB for ${SYNCED_MIB} MiB\n`);
      expect(growth).toBeLessThan(GROWTH_MIB_MAX);
      const file = path.join(home, 'rentals/by-id', id, 'workspace/weights.bin');
      expect((await stat(file)).size).toBe(size);
      await stop(number);
    });
  });
});
