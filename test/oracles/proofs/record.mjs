/**
 * Snarkjs makes keys and proofs of a small circuit, and says whether damaged proofs hold:
 *
 *   node test/oracles/proofs/record.mjs
 *
 * The circuit: `signals[0] = (y * y + 3) * signals[1]` for a private `y`.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { bn254 } from '@noble/curves/bn254.js';
import * as snarkjs from 'snarkjs';

const CURVES = { bn128: bn254, bls12381: bls12_381 };
const POWER = 4;

const uint32 = (value) => Buffer.from(Uint32Array.of(value).buffer);
const uint64 = (value) => Buffer.from(BigUint64Array.of(BigInt(value)).buffer);
const scalar = (value) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
const file = (magic, version, sections) =>
  Buffer.concat([
    Buffer.from(magic),
    uint32(version),
    uint32(sections.length),
    ...sections.flatMap((bytes, n) => [uint32(n + 1), uint64(bytes.length), bytes]),
  ]);
const terms = (list) =>
  Buffer.concat([uint32(list.length), ...list.flatMap(([wire, n]) => [uint32(wire), scalar(n)])]);

/** Wires: 1, the product, x, y, y * y. */
const r1cs = (order) => {
  const constraints = [
    [[[3, 1n]], [[3, 1n]], [[4, 1n]]],
    [
      [
        [0, 3n],
        [4, 1n],
      ],
      [[2, 1n]],
      [[1, 1n]],
    ],
  ];
  const header = [uint32(32), scalar(order), ...[5, 0, 2, 2].map(uint32), uint64(5), uint32(2)];
  return file('r1cs', 1, [
    Buffer.concat(header),
    Buffer.concat(constraints.flat().map(terms)),
    Buffer.concat([0, 1, 2, 3, 4].map(uint64)),
  ]);
};
const wtns = (order, x, y) => {
  const wires = [1n, ((y * y + 3n) * x) % order, x, y, (y * y) % order];
  const header = [uint32(32), scalar(order), uint32(wires.length)];
  return file('wtns', 2, [Buffer.concat(header), Buffer.concat(wires.map(scalar))]);
};

const stored = (data) => ({ type: 'mem', data: new Uint8Array(data) });
const empty = () => ({ type: 'mem' });

const keysOf = async (scheme, curveName, circuit) => {
  const curve = await snarkjs.curves.getCurveFromName(curveName);
  const [begun, drawn, phase2, first, zkey] = Array.from({ length: 5 }, empty);
  await snarkjs.powersOfTau.newAccumulator(curve, POWER, begun);
  await snarkjs.powersOfTau.contribute(begun, drawn, 'record', 'quipu');
  await snarkjs.powersOfTau.preparePhase2(drawn, phase2);
  if (scheme === 'plonk') {
    await snarkjs.plonk.setup(circuit, phase2, zkey);
  } else {
    await snarkjs.zKey.newZKey(circuit, phase2, first);
    await snarkjs.zKey.contribute(first, zkey, 'record', 'quipu');
  }
  const key = JSON.parse(JSON.stringify(await snarkjs.zKey.exportVerificationKey(zkey)));
  return { zkey, key };
};

const verdictOf = async (scheme, key, { proof, signals }) => {
  try {
    return await snarkjs[scheme].verify(key, signals, proof, {
      error() {},
      warn() {},
      info() {},
      debug() {},
    });
  } catch {
    return 'error';
  }
};

/** A point of the curve outside of the subgroup, from the first suitable x. */
const outside = (Point, field, at) => {
  for (let n = 1n; ; n += 1n) {
    const x = at(n);
    try {
      const y = field.sqrt(field.add(field.mul(field.sqr(x), x), Point.CURVE().b));
      if (!Point.fromAffine({ x, y }).isTorsionFree()) return { x, y };
    } catch {
      // This x has no y.
    }
  }
};

const wrongPoints = ({ fields: { Fp, Fp2 }, G1, G2 }) => {
  const two = outside(G2.Point, Fp2, (n) => Fp2.create({ c0: n, c1: 0n }));
  const text = ({ c0, c1 }) => [String(c0), String(c1)];
  const g2 = [text(two.x), text(two.y), ['1', '0']];
  if (G1.Point.CURVE().h === 1n) return { g2 };
  const one = outside(G1.Point, Fp, (n) => n);
  return { g1: [String(one.x), String(one.y), '1'], g2 };
};

const isPoint = (value) => Array.isArray(value);
const plus = (value, added) =>
  isPoint(value) ? [plus(value[0], added), ...value.slice(1)] : String(BigInt(value) + added);

/** Every field of a proof and of its signals, damaged in every way. */
const damaged = (curve, { proof, signals }, other) => {
  const { Fp, Fr } = curve.fields;
  const wrong = wrongPoints(curve);
  const cases = [];
  const add = (name, changes, changed = signals) =>
    cases.push({ name, changes, ...(changed !== signals && { signals: changed }) });
  for (const [field, value] of Object.entries(proof)) {
    if (field === 'protocol' || field === 'curve') continue;
    add(`${field} plus 1`, { [field]: plus(value, 1n) });
    add(`${field} of another proof`, { [field]: other.proof[field] });
    if (!isPoint(value)) {
      add(`${field} plus r`, { [field]: plus(value, Fr.ORDER) });
      continue;
    }
    const isG2 = isPoint(value[0]);
    add(`${field} plus p`, { [field]: plus(value, Fp.ORDER) });
    add(`${field} at infinity`, {
      [field]: isG2
        ? [
            ['0', '0'],
            ['1', '0'],
            ['0', '0'],
          ]
        : ['0', '1', '0'],
    });
    const y = isG2
      ? value[1].map((part) => String(Fp.neg(BigInt(part))))
      : String(Fp.neg(BigInt(value[1])));
    add(`${field} negated`, { [field]: [value[0], y, value[2]] });
    const point = isG2 ? wrong.g2 : wrong.g1;
    if (point) add(`${field} outside of the subgroup`, { [field]: point });
  }
  signals.forEach((_, n) => {
    const at = (value) => signals.map((one, i) => (i === n ? value : one));
    add(`signal ${n} plus 1`, {}, at(plus(signals[n], 1n)));
    add(`signal ${n} plus r`, {}, at(plus(signals[n], Fr.ORDER)));
  });
  return cases;
};

const groups = [];
for (const scheme of ['groth16', 'plonk']) {
  for (const [name, curve] of Object.entries(CURVES)) {
    const { ORDER } = curve.fields.Fr;
    const circuit = stored(r1cs(ORDER));
    const { zkey, key } = await keysOf(scheme, name, circuit);
    const claims = [];
    for (const y of [5n, 7n, ORDER - 2n]) {
      const made = await snarkjs[scheme].prove(zkey, stored(wtns(ORDER, 11n, y)));
      const { proof, publicSignals: signals } = JSON.parse(JSON.stringify(made));
      claims.push({ proof, signals });
    }
    const corpus = damaged(curve, claims[0], claims[1]);
    for (const one of corpus) {
      const claim = {
        signals: claims[0].signals,
        ...one,
        proof: { ...claims[0].proof, ...one.changes },
      };
      one.snarkjs = await verdictOf(scheme, key, claim);
    }
    const verdicts = await Promise.all(claims.map((claim) => verdictOf(scheme, key, claim)));
    if (verdicts.includes(false))
      throw new Error(`snarkjs rejects its own proofs: ${scheme} ${name}`);
    groups.push({ scheme, curve: name, key, claims, damaged: corpus });
    await (await snarkjs.curves.getCurveFromName(name)).terminate();
  }
}
const record = path.join(import.meta.dirname, 'vectors.json');
writeFileSync(record, `${JSON.stringify({ program: 'snarkjs 0.7.6', groups })}\n`);
process.exit(0);
