/** Eleven rules about things, in product real logic: truth lies in [0, 1]. */
import { type Operations } from '../operations/operations.js';
import { type Shaped } from '../operations/tensor.js';

/**
 * The predicates of a thing. The first six are the classes of the task; rules alone teach the
 * others.
 */
export const PREDICATES = [
  'robot',
  'vehicle',
  'drone',
  'bird',
  'dog',
  'human',
  'machine',
  'animal',
  'living',
  'flies',
] as const;
export type Predicate = (typeof PREDICATES)[number];

/** `if` holds, so `then` holds, or does not hold where `not` is set. */
export interface Rule {
  readonly if: Predicate;
  readonly then: Predicate;
  readonly not: boolean;
}

const implies = (one: Predicate, other: Predicate): Rule => ({ if: one, then: other, not: false });
const excludes = (one: Predicate, other: Predicate): Rule => ({ if: one, then: other, not: true });

export const RULES: readonly Rule[] = [
  implies('robot', 'machine'),
  implies('vehicle', 'machine'),
  implies('drone', 'machine'),
  implies('drone', 'flies'),
  implies('bird', 'flies'),
  excludes('dog', 'flies'),
  implies('bird', 'animal'),
  implies('dog', 'animal'),
  implies('animal', 'living'),
  implies('human', 'living'),
  excludes('machine', 'living'),
];

export const nameOfRule = (rule: Rule): string =>
  `${rule.if}(x) -> ${rule.not ? 'not ' : ''}${rule.then}(x)`;

/** Reichenbach's implication, `1 - a + a b`. */
export const implication = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  antecedent: Tensor,
  consequent: Tensor,
): Tensor => {
  const excess = ops.subtract(ops.multiply(antecedent, consequent), antecedent);
  return ops.add(excess, ops.constant(Float32Array.of(1), [1]));
};

export const negation = <Tensor extends Shaped>(ops: Operations<Tensor>, truth: Tensor): Tensor =>
  ops.subtract(ops.constant(Float32Array.of(1), [1]), truth);

/** Truth of each rule for each thing, `[1, batch, rules]`, from the truth of predicates. */
export const satisfactions = <Tensor extends Shaped>(
  ops: Operations<Tensor>,
  truths: Tensor,
): Tensor => {
  const truthOf = (predicate: Predicate): Tensor =>
    ops.slice(truths, 2, PREDICATES.indexOf(predicate), 1);
  const rules = RULES.map((rule) => {
    const then = truthOf(rule.then);
    return implication(ops, truthOf(rule.if), rule.not ? negation(ops, then) : then);
  });
  return ops.concat(rules, 2);
};
