import { constant, ConstraintSystem, type Linear, sum } from './constraint-system.js';
import { poseidon2, poseidon3, poseidon4 } from './poseidon.js';

/** Accounts in one proof. A ledger with more of them has a chain of proofs. */
export const LEAVES = 16;
const GROUP = 4;
/** A balance is below 2^64 micro-dollars; a chain of 2^64 proofs cannot wrap around the field. */
const BALANCE_BITS = 64;

/** An account: numbers below the order of BN254. */
export interface LedgerLeaf {
  readonly account: bigint;
  readonly balance: bigint;
  /** Keeps a balance from being guessed from the hash of its leaf. */
  readonly salt: bigint;
}

/** How far a chain of proofs has come. */
export interface LedgerChain {
  readonly root: bigint;
  readonly total: bigint;
}

/** Before the first proof. */
export const CHAIN_START: LedgerChain = { root: 0n, total: 0n };

const EMPTY: LedgerLeaf = { account: 0n, balance: 0n, salt: 0n };

/** In the order of the public signals of a proof. */
export const SIGNALS = ['root', 'total', 'root_before', 'total_before', 'position'] as const;

export interface LedgerProof {
  readonly system: ConstraintSystem;
  readonly after: LedgerChain;
}

/**
 * There are 16 leaves with balances from 0 to 2^64 - 1; `total` is `total_before` and their sum;
 * `root` is the hash of `root_before` and of the Merkle root of the leaves, at `position`.
 *
 * A leaf is the hash of account, balance and salt. A node is the hash of four children. The
 * function computes the witness and the constraints in one run, so they cannot differ.
 */
export const ledgerStatement = (
  leaves: readonly LedgerLeaf[],
  before: LedgerChain,
  position: bigint,
): LedgerProof => {
  if (leaves.length > LEAVES) throw new RangeError(`a proof has at most ${LEAVES} leaves`);
  const after = afterOf(leaves, before);
  const system = new ConstraintSystem();
  const root = system.publicInput(after.root);
  const total = system.publicInput(after.total);
  const rootBefore = system.publicInput(before.root);
  const totalBefore = system.publicInput(before.total);
  const at = system.publicInput(position);
  const { hash, sumOfBalances } = chainedHash(system, leaves, rootBefore);
  system.equal(hash, root);
  system.equal(
    sum([
      [totalBefore, 1n],
      [sumOfBalances, 1n],
    ]),
    total,
  );
  // A signal that no constraint names could be changed in a proof.
  system.multiply(at, at);
  return { system, after };
};

const afterOf = (leaves: readonly LedgerLeaf[], before: LedgerChain): LedgerChain => {
  const { hash, sumOfBalances } = chainedHash(
    new ConstraintSystem(),
    leaves,
    constant(before.root),
  );
  return { root: hash.value, total: before.total + sumOfBalances.value };
};

const chainedHash = (
  system: ConstraintSystem,
  leaves: readonly LedgerLeaf[],
  rootBefore: Linear,
): { readonly hash: Linear; readonly sumOfBalances: Linear } => {
  const balances: Linear[] = [];
  let level = Array.from({ length: LEAVES }, (_, n) => {
    const { account, balance, salt } = leaves[n] ?? EMPTY;
    const amount = system.input(balance);
    system.inBits(amount, BALANCE_BITS);
    balances.push(amount);
    return poseidon3(system, system.input(account), amount, system.input(salt));
  });
  while (level.length > 1) level = parentsOf(system, level);
  const [root = constant(0n)] = level;
  return {
    hash: poseidon2(system, rootBefore, root),
    sumOfBalances: sum(balances.map((one) => [one, 1n])),
  };
};

const parentsOf = (system: ConstraintSystem, level: readonly Linear[]): Linear[] =>
  Array.from({ length: level.length / GROUP }, (_, n) => {
    const [first, second, third, fourth] = level.slice(n * GROUP, (n + 1) * GROUP);
    if (!first || !second || !third || !fourth) throw new RangeError('a level has no whole groups');
    return poseidon4(system, first, second, third, fourth);
  });
