/**
 * Draws noise beside `discretegauss.py`: `npm run privacy -- FOLDER`, where FOLDER is a checkout of
 * github.com/IBM/discrete-gaussian-differential-privacy. CPU time counts, since the machine may be
 * shared; a round of each, in turns, and the best of three.
 */
import { execFileSync } from 'node:child_process';
import { CryptoSource } from '../../libs/engines/privacy/random-source.js';
import { Samplers } from '../../libs/engines/privacy/samplers.js';
import { rational } from '../../libs/platform/kernel/rational.js';

const ROUNDS = 3;
const SAMPLES = { quipu: 100_000, peer: 5_000 };
const MICROS_PER_SECOND = 1e6;

const PEER = `
import random, sys, time, types
from fractions import Fraction
# It plots, too, which is not measured.
sys.modules['matplotlib'] = plots = types.ModuleType('matplotlib')
sys.modules['matplotlib.pyplot'] = plots.pyplot = types.ModuleType('matplotlib.pyplot')
sys.path.insert(0, sys.argv[1])
import discretegauss as dg
draw = {'laplace': dg.sample_dlaplace, 'gaussian': dg.sample_dgauss}[sys.argv[2]]
parameter, count, rng = Fraction(sys.argv[3]), int(sys.argv[4]), random.SystemRandom()
since = time.process_time()
squares = sum(draw(parameter, rng) ** 2 for _ in range(count))
print(time.process_time() - since, squares / count)
`;

interface Run {
  /** Samples in a CPU second. */
  readonly rate: number;
  readonly variance: number;
}

const samplers = new Samplers(new CryptoSource());

const ownRun = (kind: string, top: bigint, bottom: bigint): Run => {
  const parameter = rational(top, bottom);
  const draw =
    kind === 'laplace'
      ? () => samplers.discreteLaplace(parameter)
      : () => samplers.discreteGaussian(parameter);
  const since = process.cpuUsage();
  let squares = 0;
  for (let at = 0; at < SAMPLES.quipu; at += 1) squares += Number(draw()) ** 2;
  const { user, system } = process.cpuUsage(since);
  const rate = (SAMPLES.quipu / (user + system)) * MICROS_PER_SECOND;
  return { rate, variance: squares / SAMPLES.quipu };
};

const peerRun = (folder: string, kind: string, parameter: string): Run => {
  const words = ['-c', PEER, folder, kind, parameter, String(SAMPLES.peer)];
  const printed = execFileSync('python3', words, { encoding: 'utf8' });
  const [seconds = NaN, variance = NaN] = printed.trim().split(' ').map(Number);
  return { rate: SAMPLES.peer / seconds, variance };
};

const best = (runs: readonly Run[]): Run =>
  runs.reduce((one, other) => (other.rate > one.rate ? other : one));

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder of discretegauss.py');
for (const [kind, top, bottom] of [
  ['laplace', 10n, 1n],
  ['laplace', 1_000n, 37n],
  ['gaussian', 100n, 1n],
  ['gaussian', 10_000n, 1n],
] as const) {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    quipu: ownRun(kind, top, bottom),
    peer: peerRun(folder, kind, `${top}/${bottom}`),
  }));
  const quipu = best(rounds.map((round) => round.quipu));
  const peer = best(rounds.map((round) => round.peer));
  const variances = `variances ${quipu.variance.toFixed(1)} and ${peer.variance.toFixed(1)}`;
  process.stdout.write(
    `${kind} ${top}/${bottom}: quipu ${quipu.rate.toFixed(0)}, discretegauss.py ` +
      `${peer.rate.toFixed(0)} samples a CPU second, ratio ` +
      `${(quipu.rate / peer.rate).toFixed(1)}; ${variances}\n`,
  );
}
