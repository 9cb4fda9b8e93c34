import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

const PIXELS = 64;
const WIDTH = 96;

/** Steps of denoising; a sample enters with the noise of the first. */
export const LEVELS = 8;

/** Share of the signal that is left at a level, from almost all at 0 to little at the last. */
export const signalAt = (level: number): number => {
  const angle = (Math.PI / 2) * (0.04 + (0.6 * (level + 1)) / LEVELS);
  return Math.cos(angle) ** 2;
};

/** The noise in a sample `[1, batch, 64]`: rates of LIF neurons that start each level at rest. */
export const noiseIn = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  sample: Tensor,
  level: number,
): Tensor => {
  ops.rest();
  const levels = ops.parameter('levels', [LEVELS, WIDTH], { initial: { deviation: 0.5 } });
  const seen = ops.linear('seen', sample, { out: WIDTH, gain: 2 });
  const drive = ops.add(seen, ops.slice(levels, 0, level, 1));
  const first = ops.neuron('first', ops.hold(drive));
  const second = ops.neuron('second', ops.linear('between', first, { out: WIDTH, gain: 3 }));
  // A rate is a number even at one timestep, where it equals a spike.
  const rateOf = (spikes: Tensor): Tensor => ops.scale(ops.sum(spikes, 0), 1 / ops.steps);
  const rates = ops.concat([rateOf(first), rateOf(second)], 2);
  return ops.add(
    ops.linear('noise', rates, { out: PIXELS, gain: 1 }),
    // The remainder that the rates do not explain: an untrained network then denoises by scaling.
    ops.linear('direct', sample, { out: PIXELS, gain: 0.5, bias: false }),
  );
};

/** Deterministic denoising (DDIM, Song et al., 2021) from the last level to a clean picture. */
export const denoise = <Tensor extends Shaped>(ops: Operations<Tensor>, sample: Tensor): Tensor => {
  let now = sample;
  for (let level = LEVELS - 1; level >= 0; level -= 1) {
    const noise = noiseIn(ops, now, level);
    const signal = signalAt(level);
    const clean = ops.scale(
      ops.subtract(now, ops.scale(noise, Math.sqrt(1 - signal))),
      1 / Math.sqrt(signal),
    );
    const next = level === 0 ? 1 : signalAt(level - 1);
    now =
      level === 0
        ? clean
        : ops.add(ops.scale(clean, Math.sqrt(next)), ops.scale(noise, Math.sqrt(1 - next)));
  }
  return now;
};

/** The output of a detector on a clean picture of values in [-1, 1]. */
export const detect = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  picture: Tensor,
  readout: { readonly name: string; readonly classes: number },
): Tensor => {
  const hidden = ops.map(ops.linear('detector', picture, { out: 32 }), 'relu');
  return ops.linear(readout.name, hidden, { out: readout.classes });
};

/** Two axes of time: levels of noise outside, timesteps of neurons inside. */
export const spikingDiffusion: Architecture = {
  name: 'spiking-diffusion',
  slug: 'snnlib/spiking-diffusion-dit',
  displayName: 'Spiking diffusion',
  routingMode: 'hybrid_diffusion',
  architecture: 'denoiser of two LIF layers, eight DDIM steps, dense detector of the sample',
  input: { shape: [8, 8], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'second',
  forward(ops, x, readout) {
    const [, batch = 1] = x.shape;
    const sample =
      readout.head === 'text'
        ? ops.linear('text.in', x, { out: PIXELS, gain: 2 })
        : ops.reshape(x, [1, batch, PIXELS]);
    return detect(ops, denoise(ops, sample), readout);
  },
  describe: ({ denseSparsityPct }) => ({
    architecture_type: 'diffusion model whose denoiser is a spiking network',
    front_end: `${LEVELS} denoising steps, each over all timesteps with neurons from rest`,
    back_end: 'dense detector of the denoised sample',
    feature_map_dim: `8x8, ${WIDTH} neurons twice`,
    spatial_to_spike_sparsity: `${(denseSparsityPct ?? 0).toFixed(1)} % zeros after ReLU`,
  }),
};
