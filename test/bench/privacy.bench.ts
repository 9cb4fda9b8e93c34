/**
 * Draws noise beside `discretegauss.py` and OpenDP: `npm run privacy -- FOLDER [PYTHON]`. FOLDER is
 * a checkout of github.com/IBM/discrete-gaussian-differential-privacy; PYTHON has opendp 0.16. CPU
 * time counts, since the machine may be shared; a round of each, in turns, and the best of three.
 * OpenDP is Rust and draws a whole vector in one call.
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

const OPENDP = `
import sys, time
from fractions import Fraction
import opendp.prelude as dp
dp.enable_features('contrib')
kind, parameter, count = sys.argv[1], float(Fraction(sys.argv[2])), int(sys.argv[3])
domain = dp.vector_domain(dp.atom_domain(T=int))
measure = (
    dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=parameter)
    if kind == 'laplace'
    else dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=parameter ** 0.5)
)
since = time.process_time()
drawn = measure([0] * count)
print(time.process_time() - since, sum(one * one for one in drawn) / count)
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

const peerRun = (python: string, script: string, ...words: readonly string[]): Run => {
  const all = ['-c', script, ...words, String(SAMPLES.peer)];
  const printed = execFileSync(python, all, { encoding: 'utf8' });
  const [seconds = NaN, variance = NaN] = printed.trim().split(' ').map(Number);
  return { rate: SAMPLES.peer / seconds, variance };
};

const best = (runs: readonly Run[]): Run =>
  runs.reduce((one, other) => (other.rate > one.rate ? other : one));

const [folder, python] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folder of discretegauss.py');
for (const [kind, top, bottom] of [
  ['laplace', 10n, 1n],
  ['laplace', 1_000n, 37n],
  ['gaussian', 100n, 1n],
  ['gaussian', 10_000n, 1n],
] as const) {
  const parameter = `${top}/${bottom}`;
  const rounds = Array.from({ length: ROUNDS }, () => ({
    quipu: ownRun(kind, top, bottom),
    peer: peerRun('python3', PEER, folder, kind, parameter),
    opendp: python === undefined ? null : peerRun(python, OPENDP, kind, parameter),
  }));
  const quipu = best(rounds.map((round) => round.quipu));
  const peers = {
    'discretegauss.py': best(rounds.map((round) => round.peer)),
    OpenDP: python === undefined ? null : best(rounds.flatMap((round) => round.opendp ?? [])),
  };
  process.stdout.write(
    `${kind} ${parameter}: quipu ${quipu.rate.toFixed(0)} samples a CPU second, ` +
      `variance ${quipu.variance.toFixed(1)}\n`,
  );
  for (const [name, peer] of Object.entries(peers)) {
    if (!peer) continue;
    process.stdout.write(
      `  ${name} ${peer.rate.toFixed(0)}, ratio ${(quipu.rate / peer.rate).toFixed(2)}, ` +
        `variance ${peer.variance.toFixed(1)}\n`,
    );
  }
}
