import { type Mutant, mutantsOf, mutated } from './mutants.js';
import { type SourceGraph } from './related-specs.js';
import { type SpecOutcome, type SpecRunner } from './spec-runner.js';
import { type Workspace } from './workspace.js';

export interface RunLimits {
  /** Specs that are run for one file: the nearest. */
  readonly specsMax: number;
  /** A mutant may take this many times what the specs take without it, */
  readonly slowness: number;
  /** and so much longer. */
  readonly graceMs: number;
}

/** For the specs of one file without a mutant. */
const BASELINE_MS_MAX = 300_000;

export type Verdict = 'killed' | 'timed out' | 'survived';

export interface MutantResult {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
  /** The test that failed. */
  readonly killer: string | null;
}

/** The specs of a file, which pass without a mutant, and how long they then take. */
interface Baseline {
  readonly specs: readonly string[];
  readonly ms: number;
}

/** The specs of a file do not pass as the file is: a mutant would prove nothing. */
export class UnfitSpecsError extends Error {
  override readonly name = 'UnfitSpecsError';
}

export class MutantRun {
  constructor(
    private readonly workspace: Workspace,
    private readonly graph: SourceGraph,
    private readonly runner: SpecRunner,
    private readonly limits: RunLimits,
  ) {}

  async mutantsOf(file: string): Promise<readonly Mutant[]> {
    return mutantsOf(file, await this.workspace.read(file));
  }

  /**
   * Runs every mutant of one file. The file is put back after each.
   * @throws UnfitSpecsError
   */
  async *run(file: string, mutants: readonly Mutant[]): AsyncGenerator<MutantResult> {
    if (mutants.length === 0) return;
    const source = await this.workspace.read(file);
    const baseline = await this.#baseline(file);
    for (const mutant of mutants) {
      await this.workspace.write(file, mutated(source, mutant));
      try {
        yield { mutant, ...(await this.#judge(baseline)) };
      } finally {
        await this.workspace.write(file, source);
      }
    }
  }

  async #baseline(file: string): Promise<Baseline> {
    const specs = this.graph.specsOf(file, this.limits.specsMax);
    const beganAt = performance.now();
    const outcome = await this.runner.run(specs, BASELINE_MS_MAX);
    if (outcome.status !== 'passed' || outcome.tests === 0) {
      throw new UnfitSpecsError(`${file}: ${causeOf(outcome)}`);
    }
    return { specs, ms: performance.now() - beganAt };
  }

  async #judge({ specs, ms }: Baseline): Promise<Omit<MutantResult, 'mutant'>> {
    const { slowness, graceMs } = this.limits;
    const outcome = await this.runner.run(specs, ms * slowness + graceMs);
    if (outcome.status === 'passed') return { verdict: 'survived', killer: null };
    if (outcome.status === 'timed out') return { verdict: 'timed out', killer: null };
    const { spec, test, message } = outcome.failure;
    const verdict = message.includes('Exceeded timeout of') ? 'timed out' : 'killed';
    return { verdict, killer: `${spec}: ${test}` };
  }
}

const causeOf = (outcome: SpecOutcome): string => {
  if (outcome.status === 'passed') return 'its specs have no test';
  if (outcome.status === 'timed out') return 'its specs take too long without a mutant';
  const { spec, test, message } = outcome.failure;
  return `${spec} fails without a mutant: ${test} ${message}`;
};
