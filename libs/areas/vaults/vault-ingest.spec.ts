import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type JobOrder, Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { paidWorkContract } from '#platform/ledger/paid-work/paid-work.contract.js';
import {
  CHUNKS_IN_REQUEST_MAX,
  IngestDocumentCommand,
  IngestDocumentHandler,
} from './ingest-document.handler.js';
import { IngestJobs } from './ingest-jobs.js';
import { vaultIngestJob, VaultIngestRunner } from './vault-ingest.job.js';
import {
  AT,
  CALLER,
  openVaultsWorld,
  SETTINGS,
  VAULT,
  type VaultsWorld,
} from './vaults.fixture.js';

/** Remembers the last job. */
class LastJob extends Jobs {
  order: JobOrder<unknown> | null = null;

  override submit(_: unknown, order: JobOrder<unknown>): Promise<void> {
    this.order = order;
    return Promise.resolve();
  }
  override cancel = () => Promise.reject(new Error('not asked'));
  override retry = () => Promise.reject(new Error('not asked'));
  override result = () => Promise.reject(new Error('not asked'));
  override checkpoint = () => Promise.reject(new Error('not asked'));
}

const signal = new AbortController().signal;
const jobs = new LastJob();

const handlerOn = (world: VaultsWorld, paid: PaidRequests, clock: Clock) => {
  const { ingests } = world.start(paid, clock);
  const ingestJobs = new IngestJobs(ingests, jobs, clock);
  return new IngestDocumentHandler(ingests, world.vectorizer, paid, ingestJobs, SETTINGS, clock);
};

let contractWorld: VaultsWorld;
beforeAll(async () => {
  contractWorld = await openVaultsWorld();
  await contractWorld.create();
});
afterAll(() => contractWorld.close());

paidWorkContract('documents of vaults', {
  requestMsMax: SETTINGS.requestMsMax,
  open: (paid, clock, work) => {
    const handler = handlerOn(contractWorld, paid, clock);
    contractWorld.vectorizer.work = work;
    const ingest = { vaultId: VAULT, title: 'a title', text: 'a knot', marking: null };
    return Promise.resolve((order, own) =>
      handler.execute(new IngestDocumentCommand({ ...order, ingest, caller: CALLER }, own)),
    );
  },
});

describe('an ingest', () => {
  let world: VaultsWorld;
  beforeEach(async () => {
    world = await openVaultsWorld();
    await world.create();
  });
  afterEach(() => world.close());

  const long = Array.from(
    { length: CHUNKS_IN_REQUEST_MAX + 1 },
    (_, n) => `${n} ${'rope '.repeat(100)}`,
  );

  it('that is rejected depends on the caller only, and is free', async () => {
    const code = (marking: string) =>
      world.ingest('rope', { marking }).then(
        () => 'none',
        (error: unknown) => (error as { readonly code: string }).code,
      );
    expect(await code('SECRET')).toBe('marking_above_clearance');
    expect(await code('OPEN//A')).toBe('marking_above_clearance');
    expect(await code('COSMIC')).toBe('invalid_marking');
    await world.clear({ level: 'SECRET', compartments: ['A'] });
    expect(await code('SECRET//A')).toBe('none');
    expect(await code('SECRET//B')).toBe('marking_above_clearance');
    expect(world.ledger.calls).toEqual([]);
  });

  it('of one request is one document', async () => {
    const own = world.context();
    const [first, again] = [
      await world.ingest('rope', { own }),
      await world.ingest('rope', { own }),
    ];
    expect(again).toBe(first);
    const { documents } = await world.first.vaults.find(VAULT, CALLER.accountId);
    expect(documents.size).toBe(1);
  });

  it('continues with the new key when the key is rotated meanwhile', async () => {
    const { vaults, ingests } = world.first;
    const own = world.context();
    const asked = { vaultId: VAULT, title: 'a', text: 'rope', marking: null };
    const opened = await ingests.open(asked, CALLER, own);
    const run = ingests.run(opened, signal, own);
    await run.next();
    const find = vaults.find.bind(vaults);
    vaults.find = async (...given) => {
      const state = await find(...given);
      vaults.find = find;
      const rotate = { type: 'RotateKey', data: { rotatedAt: AT } } as const;
      await vaults.run(VAULT, rotate, world.context());
      await vaults.reseal(VAULT, world.context());
      return state;
    };
    await run.next();
    const { documents } = await vaults.find(VAULT, CALLER.accountId);
    expect([...documents.values()]).toMatchObject([{ keyGeneration: 2, chunks: 1 }]);
    expect((await world.search('rope')).answer.found).toHaveLength(1);
  });

  it('of a long text is a job, which counts its tokens and stores the document once', async () => {
    const clock = { now: () => Date.parse(AT) };
    const paid = null as never as PaidRequests;
    const handler = handlerOn(world, paid, clock);
    const ingest = { vaultId: VAULT, title: 'long', text: long.join('\n\n'), marking: null };
    const order = { accountId: '7', receivedAtMs: clock.now(), context: world.context() };
    const command = new IngestDocumentCommand({ ...order, ingest, caller: CALLER }, signal);
    const answer = await handler.execute(command);
    expect(answer).toMatchObject({ done: null, jobId: jobs.order?.jobId, chunks: long.length });
    const evidence = { vaultId: VAULT, documentId: answer.documentId, chunks: long.length };
    const tokens = long.length * 101;
    const texts = long.map((chunk) => chunk.trim());
    const stored = Buffer.byteLength(JSON.stringify({ chunks: texts })) + long.length * 32 * 4;
    const bytes = { meter: 'vault_bytes', quantity: stored };
    expect(jobs.order).toMatchObject({
      summary: evidence,
      hold: { lines: [{ meter: 'input_tokens', quantity: tokens }, bytes], evidence },
    });
    const runner = new VaultIngestRunner(world.first.ingests, world.vectorizer);
    const input = vaultIngestJob.input.parse(jobs.order?.input);
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const job = { jobId: VAULT, accountId: '7', submittedAt: AT, attempt, input };
      const run = runner.run({ ...job, checkpoint: null, usage: [] }, signal);
      let next = await run.next();
      const shown: unknown[] = [];
      for (; !next.done; next = await run.next()) shown.push(next.value.done);
      expect(shown).toEqual([32, 64, long.length]);
      expect(next.value).toMatchObject({
        result: { documentId: answer.documentId },
        usage: [{ meter: 'input_tokens', quantity: tokens }, bytes],
      });
    }
    const { documents } = await world.first.vaults.find(VAULT, CALLER.accountId);
    expect([...documents.values()]).toMatchObject([
      { chunks: long.length, storedBytes: stored, fileId: null },
    ]);
  });

  it('of a file is waited for, and the file is once in a vault', async () => {
    const clock = { now: () => Date.parse(AT) };
    const paid = new PaidRequests(world.ledger, { settleMsMax: 1_000 }, clock);
    const handler = handlerOn(world, paid, clock);
    const file = { fileId: `file-${'0'.repeat(32)}`, attributes: { year: 2026 }, chunks: null };
    const ingest = { vaultId: VAULT, title: 'a.txt', text: long.join('\n\n'), marking: null, file };
    const add = () => {
      const order = { accountId: '7', receivedAtMs: clock.now(), context: world.context() };
      return handler.execute(
        new IngestDocumentCommand({ ...order, ingest, caller: CALLER }, signal),
      );
    };
    expect(await add()).toMatchObject({ jobId: null, chunks: long.length });
    const [document] = (await world.first.vaults.find(VAULT, '7')).documents.values();
    expect(world.ledger.captured).toMatchObject({
      lines: [
        { meter: 'input_tokens', quantity: long.length * 101 },
        { meter: 'vault_bytes', quantity: document?.storedBytes },
      ],
    });
    await expect(add()).rejects.toMatchObject({ code: 'vault_file_exists' });
    expect(world.ledger.calls).toHaveLength(2);
  });

  it('that is aborted stores nothing', async () => {
    const { ingests, vaults } = world.first;
    const own = world.context();
    const asked = { vaultId: VAULT, title: 'a', text: long.join('\n\n'), marking: null };
    const opened = await ingests.open(asked, CALLER, own);
    const left = new AbortController();
    const run = ingests.run(opened, left.signal, own);
    await run.next();
    left.abort(new Error('gone'));
    await expect(run.next()).rejects.toThrow('gone');
    expect((await vaults.find(VAULT, CALLER.accountId)).documents.size).toBe(0);
  });
});
