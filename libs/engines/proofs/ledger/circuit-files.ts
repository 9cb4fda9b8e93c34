import { bn254 } from '@noble/curves/bn254.js';
import { type Constraint, type ConstraintSystem, type Linear } from './constraint-system.js';

/** The binary files of iden3, which snarkjs reads: `.r1cs` and `.wtns`. */

const { ORDER } = bn254.fields.Fr;
const FIELD_BYTES = 32;

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};

const scalar = (value: bigint): Buffer =>
  Buffer.from(value.toString(16).padStart(2 * FIELD_BYTES, '0'), 'hex').reverse();

const fileOf = (magic: string, version: number, sections: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from(magic, 'latin1'),
    uint32(version),
    uint32(sections.length),
    ...sections.flatMap((bytes, n) => [uint32(n + 1), uint64(bytes.length), bytes]),
  ]);

const termsOf = (terms: Linear['terms']): Buffer[] => {
  const kept = [...terms].filter(([, coefficient]) => coefficient !== 0n);
  kept.sort(([one], [other]) => one - other);
  return [
    uint32(kept.length),
    ...kept.flatMap(([wire, coefficient]) => [uint32(wire), scalar(coefficient)]),
  ];
};

const bytesOf = ({ left, right, product }: Constraint): Buffer =>
  Buffer.concat([left, right, product].flatMap(termsOf));

export const r1csFile = ({ witness, constraints, publicWires }: ConstraintSystem): Buffer => {
  const header = Buffer.concat([
    uint32(FIELD_BYTES),
    scalar(ORDER),
    uint32(witness.length),
    uint32(0),
    uint32(publicWires),
    uint32(witness.length - publicWires - 1),
    uint64(witness.length),
    uint32(constraints.length),
  ]);
  const labels = Buffer.concat(witness.map((_, wire) => uint64(wire)));
  return fileOf('r1cs', 1, [header, Buffer.concat(constraints.map(bytesOf)), labels]);
};

export const wtnsFile = ({ witness }: ConstraintSystem): Buffer => {
  const header = Buffer.concat([uint32(FIELD_BYTES), scalar(ORDER), uint32(witness.length)]);
  return fileOf('wtns', 2, [header, Buffer.concat(witness.map(scalar))]);
};
