import { grainGenConstants } from '@noble/curves/abstract/poseidon.js';
import { bn254 } from '@noble/curves/bn254.js';
import { constant, type ConstraintSystem, type Linear, sum } from './constraint-system.js';

const ROUNDS_FULL = 8;
/** Partial rounds by the number of hashed values, as the reference script of Poseidon has them. */
const ROUNDS_PARTIAL = { 2: 57, 3: 56, 4: 60 } as const;
/** Rounds after which the sums of a state become wires. */
const WIRED_EVERY = 6;

type Arity = keyof typeof ROUNDS_PARTIAL;
type Constants = ReturnType<typeof grainGenConstants>;

const known = new Map<Arity, Constants>();

const constantsOf = (arity: Arity): Constants => {
  const found =
    known.get(arity) ??
    grainGenConstants({
      Fp: bn254.fields.Fr,
      t: arity + 1,
      roundsFull: ROUNDS_FULL,
      roundsPartial: ROUNDS_PARTIAL[arity],
      sboxPower: 5,
    });
  known.set(arity, found);
  return found;
};

const fifthPower = (system: ConstraintSystem, one: Linear): Linear => {
  const square = system.multiply(one, one);
  return system.multiply(system.multiply(square, square), one);
};

/** Poseidon over the scalars of BN254, with the parameters of circomlib. */
const hash = (system: ConstraintSystem, arity: Arity, values: readonly Linear[]): Linear => {
  const { roundConstants, mds } = constantsOf(arity);
  const partialFrom = ROUNDS_FULL / 2;
  const partialTo = partialFrom + ROUNDS_PARTIAL[arity];
  let state: readonly Linear[] = [constant(0n), ...values];
  roundConstants.forEach((added, round) => {
    const isPartial = round >= partialFrom && round < partialTo;
    const boxed = state.map((one, n) => {
      const shifted = sum([
        [one, 1n],
        [constant(added[n] ?? 0n), 1n],
      ]);
      return isPartial && n > 0 ? shifted : fifthPower(system, shifted);
    });
    const mixed = mds.map((row) => sum(boxed.map((one, n) => [one, row[n] ?? 0n])));
    const isLong = isPartial && (round - partialFrom + 1) % WIRED_EVERY === 0;
    state = isLong ? mixed.map((one) => system.wireOf(one)) : mixed;
  });
  const [first = constant(0n)] = state;
  return system.wireOf(first);
};

export const poseidon2 = (system: ConstraintSystem, one: Linear, other: Linear): Linear =>
  hash(system, 2, [one, other]);

export const poseidon3 = (
  system: ConstraintSystem,
  ...values: readonly [Linear, Linear, Linear]
): Linear => hash(system, 3, values);

export const poseidon4 = (
  system: ConstraintSystem,
  ...values: readonly [Linear, Linear, Linear, Linear]
): Linear => hash(system, 4, values);
