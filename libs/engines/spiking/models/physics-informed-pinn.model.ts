import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';
import { asNative } from './text-stem.js';

const READINGS = 16;
/** Width of the hidden layers of the network that knows the heat equation. */
export const PINN_WIDTH = 20;
const MONITOR = 12;

/** The temperature that physics expects at places and times `[…, 2]`. */
export const expectedTemperature = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  placesAndTimes: Tensor,
): Tensor => {
  const first = ops.map(ops.linear('pinn.first', placesAndTimes, { out: PINN_WIDTH }), 'tanh');
  const second = ops.map(ops.linear('pinn.second', first, { out: PINN_WIDTH, gain: 1 }), 'tanh');
  return ops.linear('pinn.last', second, { out: 1, gain: 1 });
};

/** A network that obeys the heat equation; neurons watch how far readings depart from it. */
export const physicsInformedPinn: Architecture = {
  name: 'physics-informed-pinn',
  slug: 'platform/physics-informed-pinn',
  displayName: 'Physics-informed NN',
  routingMode: 'hybrid_pinn',
  architecture: 'dense solution of the 1-D heat equation, LIF monitor of its residuals',
  input: { shape: [READINGS, 3], kind: 'static', code: 'real' },
  neuron: DEFAULT_NEURON,
  neuronModels: ['LIFNode', 'PLIFNode', 'ContinuousLIFNode'],
  rasterLayer: 'alarm',
  forward(ops, x, readout) {
    const readings = asNative(ops, x, readout, [READINGS, 3]);
    const where = ops.slice(readings, 3, 0, 2);
    const measured = ops.slice(readings, 3, 2, 1);
    const residuals = ops.subtract(measured, expectedTemperature(ops, where));
    const features = ops.concat([residuals, where], 3);
    const drive = ops.linear('monitor', features, { out: MONITOR, gain: 4 });
    const monitor = ops.neuron('residuals', ops.hold(drive));
    const rates = ops.mean(monitor, 2);
    const alarm = ops.neuron('alarm', ops.linear('alarm.synapses', rates, { out: 32, gain: 5 }));
    return ops.mean(ops.linear(readout.name, alarm, { out: readout.classes }), 0);
  },
  describe: () => ({
    architecture_type: 'physics-informed dense network; the spiking share is small',
    front_end: `solution of the heat equation at ${READINGS} readings, run once`,
    back_end: `${MONITOR} LIF neurons for each residual, 32 for the alarm`,
    feature_map_dim: `${READINGS}x${MONITOR}`,
    synergy_mechanism: 'neurons fire where measurements depart from physics',
  }),
};
