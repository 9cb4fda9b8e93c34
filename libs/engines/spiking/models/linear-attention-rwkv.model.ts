import { InvalidInputError } from '../spiking.engine.errors.js';
import { type NumberGrid } from '../encoders/resample.js';
import { tensorOf, type DataTensor } from '../operations/tensor.js';
import { type Architecture, type Readout } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { SYMBOLS, symbolRows } from './byte-symbols.js';
import { parameterOf, recurrentAttention, type Attention } from './rwkv.attention.js';

const WIDTH = 64;
const HIDDEN = 128;
/** Bytes of a text that are read before it is continued, and bytes that are added. */
const READ = 64;
const CONTINUED = 48;
const BLOCKS = ['first', 'second'] as const;

/** Mixes each step with the one before, by a share that each channel learns (token shift). */
const shifted = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  x: Tensor,
): Tensor => {
  const [steps = 1, batch = 1, width = 1] = x.shape;
  const first = ops.recall(name, [1, batch, width], 0);
  const before = steps === 1 ? first : ops.concat([first, ops.slice(x, 0, 0, steps - 1)], 0);
  ops.remember(name, ops.slice(x, 0, steps - 1, 1));
  const share = parameterOf(ops, name, width, 0.5);
  return ops.add(before, ops.multiply(ops.subtract(x, before), share));
};

const timeMix = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  x: Tensor,
  attend: Attention<Tensor>,
): Tensor => {
  const project = (part: string): Tensor =>
    ops.linear(`${name}.${part}`, shifted(ops, `${name}.${part}.share`, x), {
      out: WIDTH,
      gain: 1,
      bias: false,
    });
  const attended = attend(ops, name, project('key'), project('value'));
  const gated = ops.multiply(ops.map(project('receptance'), 'sigmoid'), attended);
  return ops.linear(`${name}.out`, gated, { out: WIDTH, gain: 1.5 });
};

const channelMix = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  x: Tensor,
): Tensor => {
  const wide = ops.linear(`${name}.wide`, shifted(ops, `${name}.wide.share`, x), {
    out: HIDDEN,
    gain: 1,
  });
  const squared = ops.map(ops.map(wide, 'relu'), 'square');
  const gate = ops.linear(`${name}.gate`, shifted(ops, `${name}.gate.share`, x), { out: WIDTH });
  return ops.multiply(
    ops.map(gate, 'sigmoid'),
    ops.linear(`${name}.narrow`, squared, { out: WIDTH, gain: 1.5 }),
  );
};

/**
 * The stream of `[steps, batch, WIDTH]` after all blocks: numbers plus the spikes of each block.
 */
export const rwkvStates = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  embedded: Tensor,
  attend: Attention<Tensor>,
): Tensor => {
  let stream = embedded;
  for (const block of BLOCKS) {
    const mixed = timeMix(ops, `${block}.time`, stream, attend);
    stream = ops.add(stream, ops.neuron(`${block}.time.spikes`, mixed));
    const widened = channelMix(ops, `${block}.channel`, stream);
    stream = ops.add(stream, ops.neuron(`${block}.channel.spikes`, widened));
  }
  return stream;
};

/** Logits of the next symbol after each step, `[steps, batch, symbols]`. */
export const nextSymbols = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  symbols: Tensor,
  attend: Attention<Tensor>,
): Tensor => {
  const embedded = ops.linear('embedding', symbols, { out: WIDTH, gain: 5, bias: false });
  const stream = rwkvStates(ops, embedded, attend);
  return ops.linear('readout.native', stream, { out: SYMBOLS.length, gain: 1 });
};

/** Logits of either head. Both forms of attention give the same. */
export const rwkvForward = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
  { head, name, classes }: Readout,
  attend: Attention<Tensor>,
): Tensor => {
  const [steps = 1] = x.shape;
  if (head === 'native') return ops.slice(nextSymbols(ops, x, attend), 0, steps - 1, 1);
  const stream = rwkvStates(ops, ops.linear('text.in', x, { out: WIDTH }), attend);
  return ops.linear(name, ops.mean(stream, 0), { out: classes });
};

/** The last `steps` bytes of a list of bytes, or of rows of one symbol each. */
const readBytes = ({ shape, values }: NumberGrid, steps: number): DataTensor => {
  const width = SYMBOLS.length;
  const isRows = shape.length === 2 && shape[1] === width;
  if (!isRows && shape.length !== 1) {
    throw new InvalidInputError(`input_data must be a list of bytes, or rows of ${width} symbols`);
  }
  const rows = isRows ? values : symbolRows(Uint8Array.from(values));
  const kept = rows.subarray(-steps * width);
  return tensorOf(kept, [kept.length / width, 1, width], 'binary');
};

/** A language model of bytes: the position in the text is the timestep of its neurons. */
export const linearAttentionRwkv: Architecture = {
  name: 'linear-attention-rwkv',
  slug: 'platform/linear-attention-rwkv',
  displayName: 'Linear-attention RWKV',
  routingMode: 'hybrid_linear_rwkv',
  architecture: 'two RWKV-4 blocks whose time-mix and channel-mix end in LIF neurons',
  input: { shape: [SYMBOLS.length], kind: 'sequence', code: 'binary' },
  neuron: { ...DEFAULT_NEURON, resetTo: null },
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'second.channel.spikes',
  encodeArray: readBytes,
  forward: (ops, x, readout) => rwkvForward(ops, x, readout, recurrentAttention),
  continuation: {
    length: CONTINUED,
    read(text) {
      const bytes = new TextEncoder().encode(text).subarray(-READ);
      return tensorOf(symbolRows(bytes), [bytes.length, 1, SYMBOLS.length], 'binary');
    },
    next(logits) {
      const byte = SYMBOLS[logits.indexOf(Math.max(...logits))] ?? 0;
      const x = tensorOf(symbolRows(Uint8Array.of(byte)), [1, 1, SYMBOLS.length], 'binary');
      return { text: String.fromCharCode(byte), x };
    },
  },
  describe: () => ({
    architecture_type: 'recurrent linear attention with spiking activations',
    front_end: `embedding of ${SYMBOLS.length} symbols, ${BLOCKS.length} blocks of width ${WIDTH}`,
    back_end: 'LIF neurons after each time-mix and channel-mix',
    feature_map_dim: `${WIDTH}`,
    receptive_field: 'the whole text before',
    synergy_mechanism: 'the state is numerator, denominator and maximum per channel',
  }),
};
