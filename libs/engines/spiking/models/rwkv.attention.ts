/** The linear attention of RWKV-4 (Peng et al., 2023), as a recurrence and in parallel. */
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

/** Weighted means of values so far, `[steps, batch, width]`, from keys and values of that shape. */
export type Attention<Tensor extends Shaped> = (
  ops: Operations<Tensor>,
  name: string,
  keys: Tensor,
  values: Tensor,
) => Tensor;

export const parameterOf = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  width: number,
  value: number,
): Tensor => ops.parameter(name, [width], { initial: { value } });

/** How fast each channel forgets: `e^speed` in log units per step, from slow to fast. */
const decayOf = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  width: number,
): Tensor => {
  const values = Float32Array.from({ length: width }, (_, at) => -3 + (4 * at) / (width - 1));
  return ops.map(ops.parameter(`${name}.decay`, [width], { initial: { values } }), 'exp');
};

const bonusOf = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  width: number,
): Tensor => parameterOf(ops, `${name}.bonus`, width, 0.5);

const larger = <Tensor extends Shaped>(ops: Operations<Tensor>, a: Tensor, b: Tensor): Tensor =>
  ops.add(b, ops.map(ops.subtract(a, b), 'relu'));

const quotient = <Tensor extends Shaped>(ops: Operations<Tensor>, a: Tensor, b: Tensor): Tensor =>
  ops.multiply(a, ops.map(ops.scale(ops.map(b, 'log'), -1), 'exp'));

interface State<Tensor> {
  readonly numerator: Tensor;
  readonly denominator: Tensor;
  /** The logarithm by which both are scaled, so that no exponential overflows. */
  readonly maximum: Tensor;
}

/** Adds a term of weight `e^exponent` to a state whose own weight is `e^(maximum - decay)`. */
const extended = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  { numerator, denominator, maximum }: State<Tensor>,
  exponent: Tensor,
  value: Tensor,
): State<Tensor> => {
  const top = larger(ops, maximum, exponent);
  const [old, fresh] = [maximum, exponent].map((power) =>
    ops.map(ops.subtract(power, top), 'exp'),
  ) as [Tensor, Tensor];
  return {
    numerator: ops.add(ops.multiply(old, numerator), ops.multiply(fresh, value)),
    denominator: ops.add(ops.multiply(old, denominator), fresh),
    maximum: top,
  };
};

/** One step at a time, in constant memory: how a run is measured. */
export const recurrentAttention = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  keys: Tensor,
  values: Tensor,
): Tensor => {
  const [steps = 1, batch = 1, width = 1] = keys.shape;
  const [decay, bonus] = [decayOf(ops, name, width), bonusOf(ops, name, width)];
  const held = (part: keyof State<Tensor>, start: number): Tensor =>
    ops.recall(`${name}.${part}`, [1, batch, width], start);
  let state: State<Tensor> = {
    numerator: held('numerator', 0),
    denominator: held('denominator', 0),
    maximum: held('maximum', -30),
  };
  const means = Array.from({ length: steps }, (_, step) => {
    const [key, value] = [ops.slice(keys, 0, step, 1), ops.slice(values, 0, step, 1)];
    const seen = extended(ops, state, ops.add(key, bonus), value);
    const faded = { ...state, maximum: ops.subtract(state.maximum, decay) };
    state = extended(ops, faded, key, value);
    return quotient(ops, seen.numerator, seen.denominator);
  });
  for (const part of ['numerator', 'denominator', 'maximum'] as const) {
    ops.remember(`${name}.${part}`, state[part]);
  }
  return ops.concat(means, 0);
};

/** Steps between each pair, `[steps, steps]`, from row to column; `later` where there are none. */
const gaps = (steps: number, gap: (from: number, to: number) => number): Float32Array =>
  Float32Array.from({ length: steps * steps }, (_, at) => gap(Math.floor(at / steps), at % steps));

/** Far below every exponent that occurs: its exponential is zero. */
const NEVER = 1e4;

/** All steps at once, for training: the same sums as matrix products of one channel each. */
export const parallelAttention = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  name: string,
  keys: Tensor,
  values: Tensor,
): Tensor => {
  const [steps = 1, batch = 1, width = 1] = keys.shape;
  const [decay, bonus] = [decayOf(ops, name, width), bonusOf(ops, name, width)];
  const before = gaps(steps, (to, from) => (from < to ? to - from - 1 : 0));
  const now = gaps(steps, (to, from) => (from === to ? 1 : 0));
  const never = gaps(steps, (to, from) => (from > to ? -NEVER : 0));
  const pairs = (values0: Float32Array): Tensor => ops.constant(values0, [1, steps, steps]);
  const each = (perChannel: Tensor): Tensor => ops.reshape(perChannel, [width, 1, 1]);
  const exponents = ops.subtract(
    ops.add(ops.multiply(pairs(now), each(bonus)), pairs(never)),
    ops.multiply(pairs(before), each(decay)),
  );
  const weights = ops.reshape(ops.map(exponents, 'exp'), [1, width, steps, steps]);
  const byChannel = (x: Tensor): Tensor =>
    ops.reshape(ops.transpose(x, [2, 0, 1]), [1, width, steps, batch]);
  const powers = ops.map(keys, 'exp');
  const numerator = ops.product(weights, byChannel(ops.multiply(powers, values)));
  const denominator = ops.product(weights, byChannel(powers));
  const means = ops.reshape(quotient(ops, numerator, denominator), [width, steps, batch]);
  return ops.transpose(means, [1, 2, 0]);
};
