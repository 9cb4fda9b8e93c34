import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { r1csFile } from './circuit-files.js';
import { constant, ConstraintSystem } from './constraint-system.js';
import { CHAIN_START, LEAVES, ledgerStatement } from './ledger-statement.js';
import { poseidon2 } from './poseidon.js';

const folder = new URL('../../../../models/ledger-proof/', import.meta.url);
const ceremony = JSON.parse(readFileSync(new URL('ceremony.json', folder), 'utf8')) as Readonly<
  Record<string, string>
>;

const leaf = (balance: bigint) => ({ account: 5n, balance, salt: 7n });

describe('the hash of the circuit', () => {
  it('is the Poseidon of circomlib', () => {
    const system = new ConstraintSystem();
    // From the README of circomlibjs: poseidon([1, 2]).
    expect(poseidon2(system, constant(1n), constant(2n)).value).toBe(
      7853200120776062878684798364095072458815029376092732009249414926327459813530n,
    );
  });
});

describe('the ledger statement', () => {
  it('is the circuit that the shipped keys were made for', () => {
    const { system } = ledgerStatement([], CHAIN_START, 0n);
    expect(hash('sha256', r1csFile(system))).toBe(ceremony['circuitSha256']);
    const keyOf = (name: string) => hash('sha256', readFileSync(new URL(name, folder)));
    expect(keyOf('proving.zkey')).toBe(ceremony['provingKeySha256']);
    expect(keyOf('verification-key.json')).toBe(ceremony['verificationKeySha256']);
  });

  it('is the same circuit for every ledger', () => {
    const { system } = ledgerStatement([leaf(1n), leaf(2n)], { root: 3n, total: 4n }, 5n);
    expect(hash('sha256', r1csFile(system))).toBe(ceremony['circuitSha256']);
  });

  it('holds for a chain of ledgers, with the sum of the balances', () => {
    const first = ledgerStatement([leaf(100n), leaf(0n)], CHAIN_START, 42n);
    expect(first.after.total).toBe(100n);
    expect(first.system.isSatisfied()).toBe(true);
    const second = ledgerStatement([leaf(2n ** 64n - 1n)], first.after, 42n);
    expect(second.after.total).toBe(100n + 2n ** 64n - 1n);
    expect(second.system.isSatisfied()).toBe(true);
    expect(second.system.witness.slice(0, 6)).toEqual([
      1n,
      second.after.root,
      second.after.total,
      first.after.root,
      100n,
      42n,
    ]);
  });

  it('does not hold for a balance of 2^64, nor for one below zero', () => {
    expect(ledgerStatement([leaf(2n ** 64n)], CHAIN_START, 1n).system.isSatisfied()).toBe(false);
    const below = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000000n;
    expect(ledgerStatement([leaf(below)], CHAIN_START, 1n).system.isSatisfied()).toBe(false);
  });

  it('has another root for another account, balance, salt, order or beginning', () => {
    const [one, other] = [leaf(1n), leaf(2n)];
    const rootOf = (leaves: Parameters<typeof ledgerStatement>[0], before = CHAIN_START) =>
      ledgerStatement(leaves, before, 1n).after.root;
    const roots = [
      rootOf([one, other]),
      rootOf([other, one]),
      rootOf([one]),
      rootOf([{ ...one, account: 6n }, other]),
      rootOf([{ ...one, salt: 8n }, other]),
      rootOf([one, other], { root: 1n, total: 0n }),
    ];
    expect(new Set(roots).size).toBe(roots.length);
  });

  it('has no more leaves than the circuit', () => {
    const leaves = Array.from({ length: LEAVES + 1 }, () => leaf(1n));
    expect(() => ledgerStatement(leaves, CHAIN_START, 1n)).toThrow(RangeError);
  });
});
