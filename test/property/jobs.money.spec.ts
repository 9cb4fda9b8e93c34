import { describe, expect, it } from '@jest/globals';
import { type JobSettled } from '#events/jobs/job.events.js';
import { JobOnHosts, jobIdOf, orderOf, submitted } from './jobs-on-hosts.fixture.js';
import { JobsWorld } from './jobs-world.fixture.js';
import { weavingType } from './weaving.fixture.js';

/** A row costs five micro-dollars. */
const ROW = 5n;

const settlementOf = (world: JobsWorld, number: number) => {
  const settled = world
    .eventsOf(jobIdOf(number))
    .filter((event): event is JobSettled => event.type === 'JobSettled');
  return settled.map(({ data: { outcome, amountMicroUsd } }) => `${outcome} ${amountMicroUsd}`);
};

const submit = (world: JobsWorld, number: number, held?: number) =>
  world.process.service.submit(world.type, orderOf(number, held), world.request());

const rejected = (code: string): unknown => expect.objectContaining({ name: 'DomainError', code });

describe('a submission', () => {
  it('holds the estimate', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    await submit(world, 1, 100);
    expect(await world.money()).toMatchObject({ held: 100n * ROW, available: 500n });
    expect(world.story(jobIdOf(1))).toEqual(['JobSubmitted']);
    expect(world.faults()).toEqual([]);
  });

  it('that the account cannot pay for leaves no job and no hold', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    await expect(submit(world, 1, 201)).rejects.toEqual(rejected('insufficient_balance'));
    expect(world.story(jobIdOf(1))).toEqual([]);
    expect(await world.money()).toMatchObject({ held: 0n, available: 1_000n });
  });

  it('that is repeated is one job with one hold, also after its end', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    await submit(world, 1);
    world.clock.nowMs += 5_000;
    await submit(world, 1);
    expect(await world.money()).toMatchObject({ held: 500n });
    await world.process.service.cancel(jobIdOf(1), world.request());
    await world.process.react();
    await submit(world, 1);
    expect(await world.money()).toMatchObject({ held: 0n, available: 1_000n });
    expect(world.story(jobIdOf(1))).toEqual(['JobSubmitted', 'JobCancelled', 'JobSettled']);
  });

  it('that is made twice at the same time is one job with one hold', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    const tick = (): number => (world.clock.nowMs += 1);
    const twice = [submit(world, 1), submit(world, 1)];
    tick();
    await Promise.all(twice);
    expect(await world.money()).toMatchObject({ held: 500n });
    expect(world.faults()).toEqual([]);
  });

  it('of another order under the id of a job is rejected, and holds nothing', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    await submit(world, 1);
    const other = { ...orderOf(1), input: { pattern: 'another' } };
    await expect(world.process.service.submit(world.type, other, world.request())).rejects.toEqual(
      rejected('job_conflict'),
    );
    expect(await world.money()).toMatchObject({ held: 500n });
  });

  it('above the number of open jobs of an account is rejected, exactly', async () => {
    const world = await JobsWorld.open(weavingType({}, 3), 10_000);
    const all = await Promise.allSettled([1, 2, 3, 4, 5].map((n) => submit(world, n)));
    expect(all.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    await expect(submit(world, 6)).rejects.toEqual(rejected('too_many_jobs'));
    expect(await world.money()).toMatchObject({ held: 1_500n });
    await world.process.service.cancel(jobIdOf(1), world.request());
    await submit(world, 6);
  });

  it('that crashed after the hold leaves a hold that expires', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    world.process.eventStore.appends.plan('none', 'fail-before');
    await expect(submit(world, 1)).rejects.toThrow();
    expect(await world.money()).toMatchObject({ held: 500n });
    await world.pass(900);
    expect(await world.money()).toMatchObject({ held: 0n, available: 1_000n });
    await submit(world, 1);
    expect(await world.money()).toMatchObject({ held: 500n });
    expect(world.faults()).toEqual([]);
  });

  it('of a type without a price holds nothing, and is settled by nothing', async () => {
    const world = await JobsWorld.open(weavingType(null), 1_000);
    const order = { ...orderOf(1), hold: null };
    await world.process.service.submit(world.type, order, world.request());
    const job = new JobOnHosts(world, jobIdOf(1));
    await job.begin();
    await job.complete(7);
    await world.process.react();
    expect(settlementOf(world, 1)).toEqual([]);
    const priced = world.process.service.submit(world.type, orderOf(2), world.request());
    await expect(priced).rejects.toThrow(TypeError);
  });
});

describe('a completed job', () => {
  it('is charged for its usage, once, and the rest is free again', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    const job = await submitted(world, 1);
    await job.begin();
    await job.progress(20);
    await job.complete(40);
    await world.process.react();
    expect(settlementOf(world, 1)).toEqual(['charged 200']);
    expect(await world.money()).toMatchObject({ charged: 200n, held: 0n, available: 800n });
    const shown = await world.shown(job.jobId);
    expect(shown).toMatchObject({
      status: 'completed',
      charge: { outcome: 'charged', amount: '200' },
      result: { summary: { rows: 40 } },
    });
    expect(world.faults()).toEqual([]);
  });

  it('is charged at most what is held; the ledger records the excess', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    const job = await submitted(world, 1, 100);
    await job.begin();
    await job.complete(130);
    await world.process.react();
    expect(settlementOf(world, 1)).toEqual(['charged 500']);
    const captured = world.log.events.find(({ type }) => type === 'HoldCaptured');
    expect(captured?.data).toMatchObject({ excess: [{ meter: 'rows', quantity: 30 }] });
  });

  it('is charged once, whichever step of the charge a crash follows', async () => {
    for (const faults of [['fail-before'], ['fail-after'], ['none', 'fail-before']] as const) {
      const world = await JobsWorld.open(weavingType(), 1_000);
      const job = await submitted(world, 1);
      await job.begin();
      await job.complete(40);
      world.process.eventStore.appends.plan(...faults);
      await world.process.react().catch(() => undefined);
      world.boot();
      await world.process.react();
      expect(settlementOf(world, 1)).toEqual(['charged 200']);
      expect(await world.money()).toMatchObject({ charged: 200n, held: 0n, available: 800n });
      expect(world.faults()).toEqual([]);
    }
  });
});

describe('a job that does not complete', () => {
  const spoilt = async (whenUnfinished: 'what_was_used' | 'nothing'): Promise<JobsWorld> => {
    const world = await JobsWorld.open(weavingType({ whenUnfinished }), 1_000);
    const job = await submitted(world, 1);
    await job.begin();
    await job.progress(10);
    await job.end('failed', 'torn');
    await world.pass(60);
    expect(await world.money()).toMatchObject({ charged: 0n, held: 500n });
    await job.begin({ attempt: 2 });
    await job.progress(25, { attempt: 2 }, 1);
    await job.end('failed', 'no_yarn', { attempt: 2 });
    await world.process.react();
    return world;
  };

  it('pays for the usage of all its attempts, where its type says so', async () => {
    const world = await spoilt('what_was_used');
    expect(world.story(jobIdOf(1)).slice(-2)).toEqual(['JobFailed', 'JobSettled']);
    expect(settlementOf(world, 1)).toEqual(['charged 125']);
    expect(await world.money()).toMatchObject({ charged: 125n, held: 0n });
  });

  it('pays nothing where its type says so', async () => {
    const world = await spoilt('nothing');
    expect(settlementOf(world, 1)).toEqual(['free 0']);
    expect(await world.money()).toMatchObject({ charged: 0n, held: 0n, available: 1_000n });
  });

  it('pays nothing when it has used nothing', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    await submit(world, 1);
    await world.pass(3_600);
    expect(world.story(jobIdOf(1)).slice(-2)).toEqual(['JobTimedOut', 'JobSettled']);
    expect(settlementOf(world, 1)).toEqual(['free 0']);
    expect(await world.money()).toMatchObject({ held: 0n, available: 1_000n });
    expect(world.faults()).toEqual([]);
  });
});

describe('a long job', () => {
  it('keeps its hold by renewals, for nothing more where the estimate is for all', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    const job = await submitted(world, 1);
    await job.begin();
    await world.pass(3_600);
    expect(await world.money()).toMatchObject({ held: 500n });
    await job.complete(100);
    await world.process.react();
    expect(settlementOf(world, 1)).toEqual(['charged 500']);
    expect(world.faults()).toEqual([]);
  });

  const ahead = [{ meter: 'rows', quantity: 50 }];

  it('holds ahead of its usage, where its type says so', async () => {
    const world = await JobsWorld.open(weavingType({ ahead }), 2_000);
    const job = await submitted(world, 1, 50);
    await job.begin();
    await job.progress(30);
    await world.pass(300);
    expect(await world.money()).toMatchObject({ held: 80n * ROW });
    await job.progress(70);
    await world.pass(300);
    expect(await world.money()).toMatchObject({ held: 120n * ROW });
    await job.complete(90);
    await world.process.react();
    expect(settlementOf(world, 1)).toEqual(['charged 450']);
    expect(world.faults()).toEqual([]);
  });

  it('pauses without funds, resumes with them, and is charged once for all attempts', async () => {
    const world = await JobsWorld.open(weavingType({ ahead }), 300);
    const job = await submitted(world, 1, 50);
    await job.begin();
    await job.progress(30);
    await world.pass(300);
    expect(await world.shown(job.jobId)).toMatchObject({ status: 'paused' });
    await job.progress(40);
    await job.complete(50);
    await world.pass(120);
    expect(world.story(job.jobId)).not.toContain('JobCompleted');
    await world.deposit(1_000);
    await world.pass(60);
    expect(await world.shown(job.jobId)).toMatchObject({
      status: 'queued',
      usage: [{ quantity: 30 }],
    });
    expect(await world.money()).toMatchObject({ held: 80n * ROW });
    await job.begin({ attempt: 2 });
    await job.complete(60, { attempt: 2 });
    await world.process.react();
    expect(settlementOf(world, 1)).toEqual(['charged 300']);
    expect(world.faults()).toEqual([]);
  });

  it('times out when the funds do not come, and pays for its usage', async () => {
    const world = await JobsWorld.open(weavingType({ ahead }), 300);
    const job = await submitted(world, 1, 50);
    await job.begin();
    await job.progress(30);
    await world.pass(300 + 600);
    const shown = await world.shown(job.jobId);
    expect(shown).toMatchObject({ status: 'timed_out', limit: 'funds' });
    expect(settlementOf(world, 1)).toEqual(['charged 150']);
    expect(await world.money()).toMatchObject({ charged: 150n, held: 0n, available: 150n });
    expect(world.faults()).toEqual([]);
  });

  it('holds again what expired while no process ran', async () => {
    const world = await JobsWorld.open(weavingType(), 1_000);
    const job = await submitted(world, 1);
    await job.begin();
    await world.process.react();
    world.clock.nowMs += 3_000_000;
    world.boot();
    await world.process.react();
    expect(await world.money()).toMatchObject({ held: 500n });
    await job.complete(40);
    await world.process.react();
    expect(settlementOf(world, 1)).toEqual(['charged 200']);
    expect(world.faults()).toEqual([]);
  });

  it('that ended while its hold expired is charged if the account can pay', async () => {
    for (const [spent, settlement] of [
      [0, 'charged 200'],
      [900, 'uncollected 200'],
    ] as const) {
      const world = await JobsWorld.open(weavingType(), 1_000);
      const job = await submitted(world, 1);
      await job.begin();
      await job.complete(40);
      world.clock.nowMs += 3_000_000;
      await world.process.execute(world.expiryOf(jobIdOf(1)));
      if (spent > 0) await submit(world, 2, spent / 5);
      await world.process.react();
      expect(settlementOf(world, 1)).toEqual([settlement]);
      expect(world.faults()).toEqual([]);
    }
  });

  it('is renewed once, whichever step of the renewal a crash follows', async () => {
    for (const faults of [['fail-before'], ['fail-after'], ['none', 'fail-before']] as const) {
      const world = await JobsWorld.open(weavingType({ ahead }), 2_000);
      const job = await submitted(world, 1, 50);
      await job.begin();
      await job.progress(30);
      await world.process.react();
      world.clock.nowMs += 300_000;
      world.process.eventStore.appends.plan(...faults);
      await world.process.react().catch(() => undefined);
      world.boot();
      await world.process.react();
      expect(await world.money()).toMatchObject({ held: 80n * ROW });
      expect(world.story(job.jobId).filter((type) => type === 'JobRenewed')).toHaveLength(1);
      expect(world.faults()).toEqual([]);
    }
  });
});
