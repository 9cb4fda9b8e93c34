import { type Architecture } from '../model.js';
import { DEFAULT_NEURON } from '../neurons/neuron.js';
import { solutionAt, solve } from './ode-solver.js';

const STATE = 12;
const FIELD = 24;

export const SOLVER = { end: 1, tolerance: 1e-3, attemptsMax: 12 } as const;

/** A dense vector field moves the state; exact neurons read where it is on the way. */
export const continuousNeuralOde: Architecture = {
  name: 'continuous-neural-ode',
  slug: 'snnlib/continuous-neural-ode',
  displayName: 'Continuous neural ODE',
  routingMode: 'hybrid_neural_ode',
  architecture: 'neural ODE of twelve states by Dormand-Prince 4(5), continuous LIF read-out',
  input: { shape: [2], kind: 'static', code: 'real' },
  neuron: { ...DEFAULT_NEURON, model: 'ContinuousLIFNode' },
  neuronModels: ['ContinuousLIFNode', 'LIFNode', 'PLIFNode'],
  rasterLayer: 'lif',
  forward(ops, x, { head, name, classes }) {
    const start = ops.linear(`${head}.in`, x, { out: STATE, gain: head === 'text' ? 2 : 1 });
    const solution = solve(
      ops,
      (time, state) => {
        const rates = ops.parameter('clock', [FIELD], { initial: { deviation: 0.5 } });
        const clock = ops.scale(ops.reshape(rates, [1, 1, FIELD]), time);
        const bent = ops.map(ops.add(ops.linear('bend', state, { out: FIELD }), clock), 'tanh');
        return ops.linear('move', bent, { out: STATE, gain: 1 });
      },
      start,
      SOLVER,
    );
    ops.note('solver', [solution.evaluations, solution.withinTolerance ? 1 : 0]);
    const seen = Array.from({ length: ops.steps }, (_, step) => {
      const see = () => solutionAt(ops, solution, ((step + 1) / ops.steps) * SOLVER.end);
      return step === ops.steps - 1 ? see() : ops.again(see);
    });
    const current = ops.linear('synapses', ops.concat(seen, 0), { out: 48, gain: 2 });
    return ops.mean(ops.linear(name, ops.neuron('lif', current), { out: classes }), 0);
  },
  describe({ notes }) {
    const [evaluations = 0, isGood = 1] = notes.get('solver') ?? [];
    return {
      architecture_type: 'neural ordinary differential equation, spiking read-out',
      front_end: `${evaluations} evaluations${isGood === 1 ? '' : ', tolerance missed'}`,
      back_end: 'layer of 48 continuous LIF neurons on real time',
      feature_map_dim: `${STATE}`,
      synergy_mechanism: `steps chosen by error control to a tolerance of ${SOLVER.tolerance}`,
    };
  },
};
