import { describe, expect, it } from '@jest/globals';
import { RENTAL_JOB } from '#events/rentals/rental.job.js';
import { AHEAD_SECONDS, rentalJob } from '#areas/rentals/rental.job.js';
import { SECONDS_PER_PRICE } from '#areas/rentals/rental.product.js';
import {
  ChangeJobCommand,
  EndAttemptCommand,
  ReportProgressCommand,
} from '#platform/jobs/job.commands.js';
import { HOST, jobIdOf } from './jobs-on-hosts.fixture.js';
import { ACCOUNT, JobsWorld } from './jobs-world.fixture.js';

/** Two micro-dollars a second. */
const PER_HOUR = '7200';
const SECOND = 2n;
const jobId = jobIdOf(1);

/** A rental on a host that reports each half minute, as long as its job runs. */
class Renting {
  #sequence = 0;
  #seconds = 0;
  attempt = 0;

  private constructor(readonly world: JobsWorld) {}

  static async open(depositMicroUsd: number): Promise<Renting> {
    const world = await JobsWorld.open(rentalJob, depositMicroUsd);
    const place = { number: 1, rig: 'rack', image: null, firstPort: 20_000, lastPort: 20_099 };
    const price = { unitPriceMicroUsd: PER_HOUR, perUnits: SECONDS_PER_PRICE };
    const order = {
      jobId,
      accountId: ACCOUNT,
      summary: { ...place, microUsdPerHour: PER_HOUR },
      input: { ...place, command: ['sleep', '9'] as [string, ...string[]], environment: {} },
      hold: {
        lines: [{ meter: 'seconds', quantity: AHEAD_SECONDS, ...price }],
        rateCardVersion: 1,
        evidence: { number: 1, rig: 'rack' },
      },
    };
    await world.process.service.submit(rentalJob, order, world.request());
    return new Renting(world);
  }

  async begin(): Promise<void> {
    this.attempt += 1;
    this.#sequence = 0;
    this.#seconds = await this.used();
    const attempt = { jobId, attempt: this.attempt, host: HOST };
    const startBy = new Date(this.world.clock.now() + 30_000).toISOString();
    const at = this.world.now();
    await this.#run({ type: 'DispatchJob', data: { ...attempt, dispatchedAt: at, startBy } });
    await this.#run({ type: 'StartAttempt', data: { ...attempt, startedAt: at } });
  }

  /** Runs for `seconds`, or until the job is paused. */
  async rent(seconds: number): Promise<void> {
    for (let left = seconds; left > 0 && (await this.status()) === 'running'; left -= 30) {
      await this.world.pass(30);
      this.#seconds += 30;
      await this.#report();
    }
  }

  async status(): Promise<string> {
    return (await this.world.process.streams.stateOf(jobId)).status;
  }

  /** The seconds in the log. */
  async used(): Promise<number> {
    const job = await this.world.process.streams.stateOf(jobId);
    return job.status === 'absent' ? 0 : (job.usage[0]?.quantity ?? 0);
  }

  async stop(): Promise<void> {
    await this.world.process.service.cancel(jobId, this.world.request());
    const attempt = { jobId, attempt: this.attempt, host: HOST };
    const end = { reason: 'failed', code: 'stopped', message: '' } as const;
    const data = { ...attempt, ...end, endedAt: this.world.now() };
    await this.world.process.execute(new EndAttemptCommand(data, this.world.request()));
    await this.world.process.react();
  }

  settlement(): readonly string[] {
    return this.world
      .eventsOf(jobId)
      .flatMap(({ type, data }) =>
        type === 'JobSettled' ? [`${data.outcome} ${data.amountMicroUsd}`] : [],
      );
  }

  async #run(command: ConstructorParameters<typeof ChangeJobCommand>[0]): Promise<void> {
    await this.world.process.execute(new ChangeJobCommand(command, this.world.request()));
  }

  async #report(): Promise<void> {
    this.#sequence += 1;
    const seconds = this.#seconds;
    const shown = { seconds, engine: 'process', isLimited: false };
    const usage = [{ meter: 'seconds', quantity: seconds }];
    const facts = { sequence: this.#sequence, done: seconds, total: null, shown, usage };
    const of = { jobId, attempt: this.attempt, host: HOST, checkpoint: null };
    const data = { ...of, ...facts, progressedAt: this.world.now() };
    await this.world.process.execute(new ReportProgressCommand(data, this.world.request()));
  }
}

describe('a rental', () => {
  it('holds a quarter of an hour ahead, and is charged for the seconds it ran', async () => {
    const renting = await Renting.open(1_000_000);
    const { world } = renting;
    expect(await world.money()).toMatchObject({ held: BigInt(AHEAD_SECONDS) * SECOND });
    await renting.begin();
    await renting.rent(3_600);
    const { held } = await world.money();
    const ahead = held / SECOND - 3_600n;
    // A renewal comes every five minutes.
    expect(ahead).toBeGreaterThanOrEqual(BigInt(AHEAD_SECONDS) - 330n);
    expect(ahead).toBeLessThanOrEqual(BigInt(AHEAD_SECONDS));
    await renting.stop();
    expect(renting.settlement()).toEqual([`charged ${3_600n * SECOND}`]);
    expect(await world.money()).toMatchObject({ held: 0n, charged: 3_600n * SECOND });
    expect(world.faults()).toEqual([]);
  });

  it('is stopped while everything it used is still held, and continues with funds', async () => {
    const deposit = 4_000n;
    const renting = await Renting.open(Number(deposit));
    const { world } = renting;
    await renting.begin();
    await renting.rent(3_600);
    expect(await renting.status()).toBe('paused');
    const seconds = BigInt(await renting.used());
    expect((await world.money()).held).toBeGreaterThanOrEqual(seconds * SECOND);
    await world.deposit(100_000);
    await world.pass(120);
    expect(await renting.status()).toBe('queued');
    await renting.begin();
    await renting.rent(300);
    await renting.stop();
    expect(renting.settlement()).toEqual([`charged ${(seconds + 300n) * SECOND}`]);
    expect(world.faults()).toEqual([]);
  });

  it('ends, charged for its usage, when no funds come within an hour', async () => {
    const renting = await Renting.open(4_000);
    const { world } = renting;
    await renting.begin();
    await renting.rent(3_600);
    const seconds = BigInt(await renting.used());
    await world.pass(3_660);
    expect(await renting.status()).toBe('timed_out');
    expect(renting.settlement()).toEqual([`charged ${seconds * SECOND}`]);
    expect((await world.money()).charged).toBeGreaterThan(0n);
    expect(world.faults()).toEqual([]);
  });

  it('is a job of its type', () => {
    expect(rentalJob.name).toBe(RENTAL_JOB);
    expect(rentalJob.repeats).toBe('never');
  });
});
