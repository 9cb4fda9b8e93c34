import { type BenchOptions } from './bench-options.js';
import { catchUp, NO_LAG } from './catch-up.js';
import {
  type Lane,
  type LaneGroup,
  type LaneName,
  measureStartUps,
  mockProgram,
  openLanes,
  type StartUp,
} from './lanes.js';
import { type LoadOrder } from './load/load-run.js';
import { type Workload, workloadName } from './load/workload.js';
import { LoadClient } from './load-client.js';
import { startPeer } from './peer-process.js';
import { type Sample } from './sample.js';

export const progress = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** After this number of answers a chat of Quipu costs about the same as after three times it. */
const BREAK_IN_ANSWERS = 30_000;
const BREAK_IN_STEP_MS = 5_000;

type Window = Pick<LoadOrder, 'warmUpMs' | 'windowMs'>;

const wrongAnswersOf = (samples: readonly Sample[]): readonly string[] =>
  samples
    .filter(({ failures }) => failures > 0)
    .map(
      (sample) =>
        `${sample.lane}, ${workloadName(sample)}: ${sample.failures} wrong answers, ` +
        `the first: ${sample.firstFailure ?? ''}`,
    );

/** A wrong answer may have been charged or not, so books are held against right ones only. */
const wrongBooksOf = async (
  { checkBooks, lanes }: LaneGroup,
  samples: readonly Sample[],
): Promise<readonly string[]> => {
  if (checkBooks === null) return [];
  const names = lanes.map(({ name }) => name);
  const own = samples.filter(({ lane }) => names.includes(lane));
  const answers = own.reduce((sum, { answered }) => sum + answered, 0);
  progress(`ledger of ${names.join(' and ')}: ${answers} answers`);
  try {
    await checkBooks(answers);
    return [];
  } catch (error) {
    return [`the ledger of ${names.join(' and ')}: ${String(error)}`];
  }
};

/** The gateways of a run, all up at once, and every sample that was taken of them. */
export class MeasuredLanes {
  readonly #generator = new LoadClient();
  readonly #samples: Sample[] = [];

  private constructor(
    private readonly options: BenchOptions,
    private readonly groups: readonly LaneGroup[],
    readonly startUps: readonly StartUp[],
    private readonly stopUpstream: () => Promise<void>,
  ) {}

  static async open(options: BenchOptions): Promise<MeasuredLanes> {
    const upstream = await startPeer(mockProgram, options.directory);
    const startUps = await measureStartUps(options, upstream.port);
    const groups = await openLanes(options, upstream);
    const measured = new MeasuredLanes(options, groups, startUps, upstream.stop);
    await measured.#breakIn();
    return measured;
  }

  get lanes(): readonly Lane[] {
    return this.groups.flatMap(({ lanes }) => lanes);
  }

  keepsBooks(name: LaneName): boolean {
    const group = this.groups.find(({ lanes }) => lanes.some((lane) => lane.name === name));
    return group?.checkBooks != null;
  }

  async measure(
    lane: Lane,
    workload: Workload,
    round: number,
    window: Window = this.options,
  ): Promise<Sample> {
    const { name, peer, projectionsUrl, ...asked } = lane;
    const { pid, port } = peer;
    const { warmUpMs, windowMs } = window;
    const order = { ...workload, ...asked, port, pid, warmUpMs, windowMs };
    const result = await this.#generator.run(order);
    const rate = Math.round(result.requestsPerSecond);
    progress(`round ${round}: ${name}, ${workloadName(workload)}: ${rate}/s`);
    // The next lane must not pay for the rest of this one.
    const lag = projectionsUrl === null ? NO_LAG : await catchUp(projectionsUrl);
    const sample = { ...workload, lane: name, round, ...result, ...lag };
    this.#samples.push(sample);
    return sample;
  }

  /** Lanes take turns within a workload, so that neighbours in a ratio are neighbours in time. */
  async measureRounds(
    lanes: readonly Lane[],
    workloads: readonly Workload[],
  ): Promise<readonly Sample[]> {
    const samples: Sample[] = [];
    for (let round = 1; round <= this.options.rounds; round += 1)
      for (const workload of workloads)
        for (const lane of lanes) samples.push(await this.measure(lane, workload, round));
    return samples;
  }

  /** The faults of answers and books; empty when all is well. Books need right answers only. */
  async complaints(judged: (sample: Sample) => boolean = () => true): Promise<readonly string[]> {
    const complaints = [...wrongAnswersOf(this.#samples.filter(judged))];
    if (complaints.length > 0) return complaints;
    for (const group of this.groups) complaints.push(...(await wrongBooksOf(group, this.#samples)));
    return complaints;
  }

  async close(): Promise<void> {
    this.#generator.close();
    await Promise.all(this.groups.map((group) => group.stop()));
    await this.stopUpstream();
  }

  /**
   * Asks every lane before anything counts: V8 compiles hot code only after thousands of requests,
   * on the cores that it is measured on. The more code a lane has, the longer the compiling takes.
   * These answers are charged, too.
   */
  async #breakIn(): Promise<void> {
    const { breakInMs, connections } = this.options;
    if (breakInMs === 0) return;
    for (const lane of this.lanes)
      for (const streaming of [false, true]) {
        const workload = { connections: Math.max(...connections), streaming };
        const window = { warmUpMs: 0, windowMs: Math.min(BREAK_IN_STEP_MS, breakInMs) };
        let left = BREAK_IN_ANSWERS;
        for (let ms = 0; left > 0 && ms < breakInMs; ms += window.windowMs) {
          left -= (await this.measure(lane, workload, 0, window)).answered;
        }
      }
  }
}
