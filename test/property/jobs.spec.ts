import { describe, expect, it } from '@jest/globals';
import { type ICommand } from '@nestjs/cqrs';
import fc from 'fast-check';
import { type HoldCaptured } from '#events/billing/account.events.js';
import { type JobEvent } from '#events/jobs/job.events.js';
import {
  ChangeJobCommand,
  CompleteJobCommand,
  EndAttemptCommand,
  ReportProgressCommand,
} from '#platform/jobs/job.commands.js';
import { type Fault } from '#platform/runtime/faulty-stores.fake.js';
import { jobIdOf, orderOf } from './jobs-on-hosts.fixture.js';
import { JobsWorld } from './jobs-world.fixture.js';
import { rows, weavingType } from './weaving.fixture.js';

const JOBS = [1, 2] as const;
const HOSTS = ['loom-1', 'loom-2'] as const;
const ROUNDS_MAX = 4;

const job = fc.constantFrom(...JOBS);
const fault = fc.constantFrom<Fault>('fail-before', 'fail-after', 'twice');

/** The next step. `back` counts workers and messages from the last one. */
const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('submit'), job }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('dispatch'),
      job,
      host: fc.constantFrom(...HOSTS),
      /** Of a dispatcher that has lost its lease, and does not know of the last attempt. */
      isStale: fc.boolean(),
    }),
  },
  { weight: 24, arbitrary: fc.record({ kind: fc.constant('work'), back: fc.nat({ max: 3 }) }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('redeliver'), back: fc.nat({ max: 9 }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('silence'), job }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), job }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('deposit'), microUsd: fc.constant(400) }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('pass'), seconds: fc.constantFrom(1, 10, 31, 400) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('crash'), fault }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('restart') }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A host that was given an attempt works through its rounds, whatever becomes of the attempt. */
interface Worker {
  readonly number: number;
  readonly job: number;
  readonly attempt: number;
  readonly host: string;
  /** The start, then each round, then the end. */
  said: number;
}

/** Each worker states its own value: its number is the last two digits. */
const wovenBy = ({ number }: Worker, round: number): number => round * 100 + number;

class Schedule {
  readonly workers: Worker[] = [];
  readonly messages: ICommand[] = [];

  constructor(readonly world: JobsWorld) {}

  async run(next: Step): Promise<void> {
    try {
      await this.#run(next);
    } catch {
      // The process has crashed; another one continues with the stores.
      this.world.boot();
    }
  }

  /** Lets time pass until everything has ended; nothing fails any more. */
  async drain(): Promise<void> {
    this.world.boot();
    for (let round = 0; round < 12; round += 1) {
      this.world.clock.nowMs += 600_000;
      await this.world.process.react().catch(() => this.world.boot());
    }
    await this.world.process.react();
  }

  async #run(next: Step): Promise<void> {
    const { world } = this;
    switch (next.kind) {
      case 'submit':
        await world.process.service.submit(world.type, orderOf(next.job), world.request());
        return;
      case 'dispatch':
        await this.#dispatch(next);
        return;
      case 'work': {
        const worker = this.workers.at(-1 - next.back);
        if (worker) await this.#deliver(this.#say(worker));
        return;
      }
      case 'redeliver': {
        const message = this.messages.at(-1 - next.back);
        if (message) await world.process.execute(message);
        return;
      }
      case 'silence':
        await this.#silence(next.job);
        return;
      case 'cancel':
        await world.process.service.cancel(jobIdOf(next.job), world.request());
        return;
      case 'deposit':
        await world.deposit(next.microUsd);
        return;
      case 'pass':
        world.clock.nowMs += next.seconds * 1_000;
        await world.process.react();
        return;
      case 'crash':
        world.process.eventStore.appends.plan(next.fault);
        return;
      case 'restart':
        world.boot();
        return;
    }
  }

  async #dispatch({ job: number, host, isStale }: Extract<Step, { kind: 'dispatch' }>) {
    const { world } = this;
    const jobId = jobIdOf(number);
    const state = await world.process.streams.stateOf(jobId);
    if (state.status === 'absent') return;
    const attempt = Math.max(1, state.attempt + (isStale ? 0 : 1));
    const dispatchedAt = world.now();
    const startBy = new Date(world.clock.now() + 30_000).toISOString();
    const data = { jobId, attempt, host, dispatchedAt, startBy };
    await world.process.execute(
      new ChangeJobCommand({ type: 'DispatchJob', data }, world.request()),
    );
    const now = await world.process.streams.stateOf(jobId);
    // A stale dispatcher, too, may hand its assignment to a host.
    if (now.status !== 'absent' && now.attempt === attempt) {
      this.workers.push({ number: this.workers.length + 1, job: number, attempt, host, said: 0 });
    }
  }

  /** The dispatcher has not heard of the host that has the attempt. */
  async #silence(number: number): Promise<void> {
    const { world } = this;
    const jobId = jobIdOf(number);
    const state = await world.process.streams.stateOf(jobId);
    if (state.status === 'absent' || state.host === null) return;
    const { attempt, host } = state;
    const lost = { reason: 'lost', code: 'lost', message: 'silent', endedAt: world.now() } as const;
    await this.#deliver(new EndAttemptCommand({ jobId, attempt, host, ...lost }, world.request()));
  }

  /** The worker's next message: its start, its progress in order, then its end. */
  #say(worker: Worker): ICommand {
    const { world } = this;
    const { attempt, host, said, number } = worker;
    const jobId = jobIdOf(worker.job);
    const ofAttempt = { jobId, attempt, host };
    const context = world.request();
    worker.said += 1;
    if (said === 0) {
      const data = { ...ofAttempt, startedAt: world.now() };
      return new ChangeJobCommand({ type: 'StartAttempt', data }, context);
    }
    const woven = wovenBy(worker, said);
    const usage = [rows(said * 10)];
    const shown = { rows: woven };
    if (said < ROUNDS_MAX) {
      const facts = { sequence: said, done: said, total: ROUNDS_MAX, shown, usage };
      const checkpoint = { kind: 'json', value: { rows: woven } } as const;
      const data = { ...ofAttempt, ...facts, checkpoint, progressedAt: world.now() };
      return new ReportProgressCommand(data, context);
    }
    if (number % 3 === 0) {
      const end = {
        reason: 'failed',
        code: 'torn',
        message: 'torn',
        endedAt: world.now(),
      } as const;
      return new EndAttemptCommand({ ...ofAttempt, ...end }, context);
    }
    const result = { kind: 'json', value: { cloth: String(woven) } } as const;
    const data = { ...ofAttempt, result, shown, usage, completedAt: world.now() };
    return new CompleteJobCommand(data, context);
  }

  /** Once now, and again whenever the schedule says so. */
  async #deliver(message: ICommand): Promise<void> {
    this.messages.push(message);
    await this.world.process.execute(message);
  }
}

const ENDS = ['JobCompleted', 'JobFailed', 'JobCancelled', 'JobTimedOut'];

const demandOneEnd = (events: readonly JobEvent[]): void => {
  const types = events.map(({ type }) => type);
  const end = types.findIndex((type) => ENDS.includes(type));
  expect(types.filter((type) => ENDS.includes(type))).toHaveLength(1);
  expect(types.slice(end + 1)).toEqual(['JobSettled']);
};

/** An attempt that is not over. */
interface Holder {
  readonly attempt: number;
  readonly host: string;
  readonly isStarted: boolean;
}

/** Each report in the log is of the worker that had the attempt when it was recorded. */
const demandOneWorker = (events: readonly JobEvent[], workers: readonly Worker[], job: number) => {
  let holder: Holder | null = null;
  const attempts: number[] = [];
  const demand = (woven: unknown): void => {
    const worker = workers.find(({ number }) => number === Number(woven) % 100);
    expect(holder).toEqual({ attempt: worker?.attempt, host: worker?.host, isStarted: true });
    expect(worker?.job).toBe(job);
  };
  for (const event of events) {
    if (event.type === 'JobDispatched') {
      const { attempt, host } = event.data;
      expect(holder).toBeNull();
      attempts.push(attempt);
      holder = { attempt, host, isStarted: false };
    }
    if (event.type === 'JobStarted') {
      const { attempt } = event.data;
      expect(holder).toMatchObject({ attempt, isStarted: false });
      holder = holder && { ...holder, isStarted: true };
    }
    if (event.type === 'JobAttemptEnded') {
      expect(holder?.attempt).toBe(event.data.attempt);
      holder = null;
    }
    if (event.type === 'JobProgressed') demand(event.data.progress['rows']);
    if (event.type === 'JobCompleted') demand(event.data.summary['rows']);
  }
  expect(attempts).toEqual(attempts.map((_, index) => index + 1));
};

/** Charged once, for the largest usage that was recorded, or not at all. */
const demandOneCharge = (world: JobsWorld, events: readonly JobEvent[], jobId: string): void => {
  const charges = world.log.events
    .filter(({ type }) => type === 'HoldCaptured')
    .map(({ data }) => data as HoldCaptured['data'])
    .filter(({ evidence }) => evidence['jobId'] === jobId);
  const settled = events.find((event) => event.type === 'JobSettled');
  const used = Math.max(
    0,
    ...events
      .filter((event) => event.type === 'JobProgressed' || event.type === 'JobCompleted')
      .flatMap(({ data: { usage } }) => usage.map(({ quantity }) => quantity)),
  );
  expect(charges.length).toBeLessThanOrEqual(1);
  const charged = charges[0]?.amountMicroUsd ?? '0';
  expect(charged).toBe(settled?.data.outcome === 'charged' ? String(used * 5) : '0');
  expect(settled?.data.amountMicroUsd).toBe(String(used * 5));
};

describe('jobs under any schedule of crashes, duplicates, delays and lost leases', () => {
  it('end once, are charged once, and never on the word of two workers', async () => {
    const ahead = [rows(60)];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 80 }), async (steps) => {
        const world = await JobsWorld.open(weavingType({ ahead }), 1_200);
        const schedule = new Schedule(world);
        for (const number of JOBS) {
          await world.process.service.submit(world.type, orderOf(number), world.request());
        }
        for (const next of steps) await schedule.run(next);
        await schedule.drain();

        for (const number of JOBS) {
          const jobId = jobIdOf(number);
          const events = world.eventsOf(jobId);
          demandOneEnd(events);
          demandOneWorker(events, schedule.workers, number);
          demandOneCharge(world, events, jobId);
        }
        expect(world.faults()).toEqual([]);
        const { deposited, charged, held, available } = await world.money();
        expect(held).toBe(0n);
        expect(available).toBe(deposited - charged);
      }),
      { numRuns: 80 },
    );
  });
});
