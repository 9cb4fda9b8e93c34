/**
 * Spiking networks beside SpikingJelly on torch, with the same weights and inputs, in turns; then
 * the rate of spikes at which event-driven kernels stop paying.
 *
 *   npm run spiking -- [--python PROGRAM] [--seconds 0.3] [--rounds 5] [--network NAME]
 *
 * PROGRAM is a Python with the packages of `test/oracles/spiking`. Without it Quipu runs alone.
 */
import { parseArgs } from 'node:util';
import { compareKernels } from './spiking-kernels.js';
import { engineLane, engineRun, NETWORKS, type Lane } from './spiking-lanes.js';
import { SpikingPeer } from './spiking-peer.js';

const BATCHES = [1, 32];
const MICROSECONDS = 1e6;
const NANOSECONDS = 1e9;
const LOGITS_DIFFER_MAX = 1e-3;

const { values } = parseArgs({
  options: {
    python: { type: 'string' },
    seconds: { type: 'string', default: '0.3' },
    rounds: { type: 'string', default: '5' },
    network: { type: 'string' },
  },
});

const peers =
  values.python === undefined
    ? []
    : [
        new SpikingPeer(values.python, 'spikingjelly, one thread', 1),
        new SpikingPeer(values.python, "spikingjelly, torch's own number of threads", null),
      ];
const lanes: readonly Lane[] = [engineLane, ...peers];

interface Best {
  readonly lane: Lane;
  seconds: number;
  cpuSeconds: number;
}

/** The least of several rounds, each lane in turn. @throws Error when logits differ */
const bestTimes = async (network: string, batch: number): Promise<readonly Best[]> => {
  const all = lanes.map((lane): Best => ({ lane, seconds: Infinity, cpuSeconds: Infinity }));
  const expected = engineRun(network, batch)().logits;
  const task = { network, batch, seconds: Number(values.seconds) };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const best of all) {
      const { secondsPerRun, cpuSecondsPerRun, logits } = await best.lane.run(task);
      best.seconds = Math.min(best.seconds, secondsPerRun);
      best.cpuSeconds = Math.min(best.cpuSeconds, cpuSecondsPerRun);
      const isEqual = logits.every(
        (logit, at) => Math.abs(logit - (expected[at] ?? NaN)) < LOGITS_DIFFER_MAX,
      );
      if (!isEqual) throw new Error(`${network}: other logits in ${best.lane.name}`);
    }
  }
  return all;
};

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

const figuresOf = ({ lane, seconds, cpuSeconds }: Best, batch: number, events: number) => ({
  lane: lane.name,
  inferencesPerSecond: Math.round(batch / seconds),
  cpuMicrosPerInference: rounded((cpuSeconds * MICROSECONDS) / batch, 1),
  nsPerSynapticEvent: events === 0 ? null : rounded((seconds * NANOSECONDS) / events, 1),
});

/** How many times as fast the engine is as the fastest of the other lanes; null without others. */
const measure = async (network: string, batch: number): Promise<number | null> => {
  const { layers } = engineRun(network, batch)();
  const events = layers.reduce((sum, { synapticEvents }) => sum + synapticEvents, 0);
  const all = await bestTimes(network, batch);
  const figures = all.map((best) => figuresOf(best, batch, events));
  const [own, ...others] = all;
  const least = (of: 'seconds' | 'cpuSeconds'): number =>
    Math.min(...others.map((best) => best[of])) / (own?.[of] ?? NaN);
  const ratio = others.length === 0 ? null : least('seconds');
  const compared =
    ratio === null ? {} : { ratio: rounded(ratio, 2), cpuRatio: rounded(least('cpuSeconds'), 2) };
  console.log(JSON.stringify({ network, batch, ...compared, lanes: figures }));
  return ratio;
};

const chosen = NETWORKS.filter((name) => values.network === undefined || name === values.network);
for (const batch of BATCHES) {
  const ratios: (number | null)[] = [];
  for (const network of chosen) ratios.push(await measure(network, batch));
  const known = ratios.filter((ratio) => ratio !== null);
  if (known.length > 0) {
    const least = Math.min(...known).toFixed(2);
    console.log(
      `batch ${batch}: at least ${least}x SpikingJelly with the faster number of threads`,
    );
  }
}
for (const peer of peers) peer.close();
if (values.network === undefined) compareKernels();
