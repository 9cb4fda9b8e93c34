import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

const POINTS = 24;
const WIDTH = 16;

/** Widths of the bells that turn a squared distance into features. */
const BELLS = Float32Array.of(-4, -1, -0.4, -0.15);

/** Where the points are, and what is known of each, whatever the frame of reference. */
export interface PointCloud<Tensor> {
  /** `[1, batch, POINTS, 3]`; turns and moves with the input. */
  readonly places: Tensor;
  /** `[1, batch, POINTS, WIDTH]`; the same for every rotation and translation of the input. */
  readonly scalars: Tensor;
}

/**
 * One layer of an equivariant graph network (Satorras et al., 2021) over all pairs of points:
 * messages from the scalars of both and their distance, which move each point along its
 * differences.
 */
export const egnnLayer = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  { places, scalars }: PointCloud<Tensor>,
): PointCloud<Tensor> => {
  const [, batch = 1] = places.shape;
  const rows = (x: Tensor, width: number): Tensor => ops.reshape(x, [1, batch, POINTS, 1, width]);
  const columns = (x: Tensor, width: number): Tensor =>
    ops.reshape(x, [1, batch, 1, POINTS, width]);
  const project = (part: string, x: Tensor, out: number, gain: number, bias = true): Tensor =>
    ops.linear(`${name}.${part}`, x, { out, gain, bias });
  const differences = ops.subtract(rows(places, 3), columns(places, 3));
  const squares = ops.sum(ops.map(differences, 'square'), 4);
  const distances = ops.reshape(squares, [1, batch, POINTS, POINTS, 1]);
  const bells = ops.map(ops.multiply(distances, ops.constant(BELLS, [4])), 'exp');
  const ends = ops.add(
    rows(project('from', scalars, WIDTH, 1, false), WIDTH),
    columns(project('to', scalars, WIDTH, 1, false), WIDTH),
  );
  const met = ops.map(ops.add(ends, project('distance', bells, WIDTH, 4)), 'tanh');
  const messages = ops.map(project('message', met, WIDTH, 1.5), 'tanh');
  const pulls = ops.multiply(differences, project('pull', messages, 1, 0.5, false));
  const heard = ops.mean(messages, 3);
  const update = project('update', ops.concat([scalars, heard], 3), WIDTH, 3);
  return { places: ops.add(places, ops.mean(pulls, 3)), scalars: ops.add(scalars, update) };
};

/** Points of which nothing is known but where they are. */
const cloudOfPoints = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  places: Tensor,
): PointCloud<Tensor> => {
  const [, batch = 1] = places.shape;
  const blank = new Float32Array(batch * POINTS * WIDTH);
  return { places, scalars: ops.constant(blank, [1, batch, POINTS, WIDTH]) };
};

/**
 * A text is a cloud with scalars: distances alone are a quadratic form of its trigrams, from which
 * no subject that was not trained is recognised.
 */
const cloudOfText = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  x: Tensor,
): PointCloud<Tensor> => {
  const [, batch = 1] = x.shape;
  const places = ops.linear('text.places', x, { out: POINTS * 3, gain: 4 });
  const words = ops.linear('text.scalars', x, { out: WIDTH, gain: 4 });
  const own = ops.parameter('text.points', [POINTS, WIDTH], { initial: { deviation: 0.5 } });
  return {
    places: ops.reshape(places, [1, batch, POINTS, 3]),
    scalars: ops.add(ops.reshape(words, [1, batch, 1, WIDTH]), own),
  };
};

/** Spikes on scalars only: a spiking vector would depend on the frame of reference. */
export const se3EquivariantGnn: Architecture = {
  name: 'se3-equivariant-gnn',
  slug: 'platform/se3-equivariant-gnn',
  displayName: 'SE(3)-equivariant GNN',
  routingMode: 'hybrid_se3_equivariant',
  architecture: 'two EGNN layers run once, LIF neurons on invariant scalars, rate read-out',
  input: { shape: [POINTS, 3], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'pooled',
  forward(ops, x, readout) {
    const start = readout.head === 'text' ? cloudOfText(ops, x) : cloudOfPoints(ops, x);
    const { scalars } = egnnLayer(ops, 'second', egnnLayer(ops, 'first', start));
    const nodes = ops.neuron(
      'nodes',
      ops.hold(ops.linear('drive', scalars, { out: WIDTH, gain: 4 })),
    );
    const rates = ops.mean(nodes, 2);
    const pooled = ops.neuron('pooled', ops.linear('pool', rates, { out: 48, gain: 6 }));
    return ops.mean(ops.linear(readout.name, pooled, { out: readout.classes }), 0);
  },
  describe: () => ({
    architecture_type: 'equivariant graph network, spiking on invariant scalars',
    front_end: `two layers of messages between all ${POINTS} points, run once`,
    back_end: `${WIDTH} LIF neurons for each point, then 48 for the cloud`,
    feature_map_dim: `${POINTS}x${WIDTH}`,
    receptive_field: 'all points',
    synergy_mechanism: 'rotating or moving the points changes no spike',
  }),
};
