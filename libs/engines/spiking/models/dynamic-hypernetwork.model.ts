import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

const EXAMPLES = 6;
const POINT = 2;
const CONTEXT = 32;
const QUERY = 8;
const RANK = 4;
const NEURONS = 32;

/** The inputs of the generator and of the generated network. */
interface Parts<Tensor> {
  readonly context: Tensor;
  readonly query: Tensor;
}

const partsOf = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
  isText: boolean,
): Parts<Tensor> => {
  const [, batch = 1] = x.shape;
  if (isText) {
    const context = ops.linear('text.context', x, { out: CONTEXT });
    return { context, query: ops.linear('text.query', x, { out: QUERY }) };
  }
  const flat = ops.reshape(x, [1, batch, EXAMPLES + POINT]);
  const context = ops.linear('context', ops.slice(flat, 2, 0, EXAMPLES), { out: CONTEXT });
  return {
    context,
    query: ops.linear('query', ops.slice(flat, 2, EXAMPLES, POINT), { out: QUERY }),
  };
};

/** Weights, biases and leaks of a small LIF network, made for each input. */
const generate = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  context: Tensor,
  classes: number,
) => {
  const [, batch = 1] = context.shape;
  const hidden = ops.map(ops.linear('generator', ops.map(context, 'relu'), { out: 48 }), 'relu');
  const make = (name: string, rows: number, columns: number): Tensor =>
    ops.reshape(ops.linear(`generate.${name}`, hidden, { out: rows * columns, gain: 1 }), [
      1,
      batch,
      rows,
      columns,
    ]);
  return {
    down: make('down', QUERY, RANK),
    up: make('up', RANK, NEURONS),
    bias: make('bias', 1, NEURONS),
    leak: ops.map(make('leak', 1, 1), 'sigmoid'),
    readout: make(`readout${classes}`, NEURONS, classes),
  };
};

/** A dense network writes the weights and the time constant of the spiking one that answers. */
export const dynamicHypernetwork: Architecture = {
  name: 'dynamic-hypernetwork',
  slug: 'platform/dynamic-hypernetwork',
  displayName: 'Dynamic hypernetwork',
  routingMode: 'hybrid_hypernet',
  architecture: 'dense generator of the weights, biases and leak of one layer of LIF neurons',
  input: { shape: [4, 2], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'lif',
  forward(ops, x, { head, classes }) {
    const [, batch = 1] = x.shape;
    const { context, query } = partsOf(ops, x, head === 'text');
    const made = generate(ops, context, classes);
    const row = ops.reshape(query, [1, batch, 1, QUERY]);
    const current = ops.add(ops.product(ops.product(row, made.down), made.up), made.bias);
    const spikes = ops.neuron('lif', ops.hold(current), { leak: made.leak });
    const votes = ops.product(spikes, ops.hold(made.readout));
    return ops.reshape(ops.mean(votes, 0), [1, batch, classes]);
  },
  describe: () => ({
    architecture_type: 'generated spiking network',
    front_end: `dense generator of weights of rank ${RANK}, run for every request`,
    back_end: `${NEURONS} LIF neurons with generated weights, biases and leak`,
    feature_map_dim: `${NEURONS}`,
    synergy_mechanism: 'the examples in the input decide the weights that classify it',
  }),
};
