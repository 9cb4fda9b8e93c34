import { HomomorphicError } from './homomorphic.errors.js';
import {
  countsOf,
  type Evaluated,
  type Evaluation,
  type EvaluationCounts,
  strideOf,
} from './homomorphic.protocol.js';
import { SIGMOID } from './parameter-sets.js';
import {
  type Ciphertext,
  type LoadedKeys,
  type Plaintext,
  type Seal,
  sealReason,
} from './seal-session.js';

const CKKS_SCALE_TOLERANCE = 1e-9;

/** Objects of the WebAssembly memory, which no collector frees. */
class Scope {
  readonly #owned: { delete(): void }[] = [];

  own<Handle extends { delete(): void }>(handle: Handle): Handle {
    this.#owned.push(handle);
    return handle;
  }

  free(): void {
    for (const handle of this.#owned.splice(0)) handle.delete();
  }
}

/**
 * Evaluates on ciphertexts.
 * @throws HomomorphicError
 */
export const evaluate = (seal: Seal, keys: LoadedKeys, evaluation: Evaluation): Evaluated => {
  const scope = new Scope();
  const startedAt = performance.now();
  try {
    return new Circuit(seal, keys, evaluation, scope).run(startedAt);
  } finally {
    scope.free();
  }
};

class Circuit {
  #multiplications = 0;
  #rotations = 0;
  #additions = 0;

  constructor(
    private readonly seal: Seal,
    private readonly keys: LoadedKeys,
    private readonly evaluation: Evaluation,
    private readonly scope: Scope,
  ) {
    checkEvaluation(keys, evaluation);
  }

  run(startedAt: number): Evaluated {
    const inputs = this.evaluation.ciphertexts.map((bytes, at) => this.#load(bytes, at));
    const result = this.#apply(inputs);
    const counts = this.#counted();
    const ciphertext = result.saveToArray(this.seal.ComprModeType.zstd) as Uint8Array;
    return {
      ...counts,
      // A copy: the bytes are a view of the WebAssembly memory.
      ciphertext: Uint8Array.from(ciphertext),
      levelsLeft: this.#isCkks ? this.#levelOf(result) : null,
      scaleBits: this.#isCkks ? Math.log2(result.scale()) : null,
      elapsedMs: performance.now() - startedAt,
    };
  }

  get #isCkks(): boolean {
    return this.keys.sealSet.ckks !== null;
  }

  /** The counts that were announced, and are charged. */
  #counted(): EvaluationCounts {
    const counted = {
      multiplications: this.#multiplications,
      rotations: this.#rotations,
      additions: this.#additions,
    };
    const planned = countsOf(this.evaluation);
    if (JSON.stringify(counted) === JSON.stringify(planned)) return counted;
    throw new Error(`${JSON.stringify(counted)} were evaluated, not ${JSON.stringify(planned)}`);
  }

  #apply(inputs: readonly Ciphertext[]): Ciphertext {
    const [first, second] = inputs;
    if (!first) throw new Error('an evaluation without a ciphertext');
    switch (this.evaluation.operation) {
      case 'sum':
        return this.#rowSums(inputs.slice(1).reduce((sum, one) => this.#add(sum, one), first));
      case 'dot':
        if (!second) throw new Error('a dot product of one ciphertext');
        return this.#rowSums(this.#multiply(first, second));
      case 'linear':
        return this.#linear(first);
      case 'logistic':
        return this.#sigmoid(this.#linear(first));
    }
  }

  #linear(input: Ciphertext): Ciphertext {
    const { weights, bias } = this.evaluation;
    const products = this.#multiplyPlain(input, this.#plainRows(weights, input));
    const sums = this.#rowSums(products);
    return this.#addPlain(sums, this.#encode([bias], sums, sums.scale()));
  }

  /** `c0 + c1 z + c3 z³`; every addition is of two equal scales. */
  #sigmoid(z: Ciphertext): Ciphertext {
    const square = this.#multiply(z, z);
    const scaled = this.#multiplyConstant(z, SIGMOID.cubic, z.scale());
    const cube = this.#multiply(square, scaled);
    const { evaluator } = this.keys.sealSet;
    const linear = this.scope.own(z.copy());
    evaluator.cipherModSwitchToInplace(linear, square.parmsId());
    // The scale of the constant is chosen so that the product has the scale of the cube.
    const factor = (cube.scale() * this.#lastPrimeOf(linear)) / linear.scale();
    const first = this.#multiplyConstant(linear, SIGMOID.linear, factor);
    first.setScale(cube.scale());
    const sum = this.#add(cube, first);
    return this.#addPlain(sum, this.#encode([SIGMOID.constant], sum, sum.scale()));
  }

  #load(bytes: Uint8Array, at: number): Ciphertext {
    const { context, set } = this.keys.sealSet;
    const ciphertext = this.scope.own(new this.seal.Ciphertext());
    try {
      ciphertext.loadFromArray(context, bytes);
    } catch (cause) {
      const detail = `ciphertexts[${at}]: ${sealReason(cause)}`;
      throw new HomomorphicError('ciphertext_malformed', detail, { cause });
    }
    const isFresh =
      ciphertext.size() === 2 &&
      this.#levelOf(ciphertext) === this.keys.sealSet.context.firstContextData().chainIndex();
    if (!isFresh) unsupported(at, 'expected a ciphertext as it was encrypted');
    const scale = set.scaleBits === null ? 1 : 2 ** set.scaleBits;
    if (Math.abs(ciphertext.scale() / scale - 1) > CKKS_SCALE_TOLERANCE) {
      unsupported(at, `expected the scale ${scale}`);
    }
    return ciphertext;
  }

  #add(one: Ciphertext, other: Ciphertext): Ciphertext {
    const sum = this.scope.own(new this.seal.Ciphertext());
    this.keys.sealSet.evaluator.add(one, other, sum);
    this.#additions += 1;
    return sum;
  }

  #addPlain(one: Ciphertext, plain: Plaintext): Ciphertext {
    const sum = this.scope.own(new this.seal.Ciphertext());
    this.keys.sealSet.evaluator.addPlain(one, plain, sum);
    this.#additions += 1;
    return sum;
  }

  #multiply(one: Ciphertext, other: Ciphertext): Ciphertext {
    const { evaluator } = this.keys.sealSet;
    const product = this.scope.own(new this.seal.Ciphertext());
    evaluator.multiply(one, other, product);
    evaluator.relinearizeInplace(product, this.keys.relinearization);
    return this.#rescaled(product);
  }

  #multiplyPlain(one: Ciphertext, plain: Plaintext): Ciphertext {
    const product = this.scope.own(new this.seal.Ciphertext());
    try {
      this.keys.sealSet.evaluator.multiplyPlain(one, plain, product);
    } catch (cause) {
      // A product with zero would show its plain text to everyone.
      const detail = `weights: ${sealReason(cause)}`;
      throw new HomomorphicError('operation_unsupported', detail, { cause });
    }
    return this.#rescaled(product);
  }

  #multiplyConstant(one: Ciphertext, constant: number, scale: number): Ciphertext {
    const { slots } = this.keys.sealSet.set;
    const values = Array.from({ length: slots }, () => constant);
    return this.#multiplyPlain(one, this.#encode(values, one, scale));
  }

  #rescaled(product: Ciphertext): Ciphertext {
    this.#multiplications += 1;
    if (this.#isCkks) this.keys.sealSet.evaluator.rescaleToNextInplace(product);
    return product;
  }

  /** Adds up the values of each row into its first slot, by rotations of 1, 2, 4, … */
  #rowSums(input: Ciphertext): Ciphertext {
    let sum = input;
    for (let step = 1; step < strideOf(this.evaluation.length); step *= 2) {
      sum = this.#add(sum, this.#rotated(sum, step));
    }
    return sum;
  }

  #rotated(input: Ciphertext, step: number): Ciphertext {
    const { evaluator } = this.keys.sealSet;
    const rotated = this.scope.own(new this.seal.Ciphertext());
    try {
      if (this.#isCkks) evaluator.rotateVector(input, step, this.keys.galois, rotated);
      else evaluator.rotateRows(input, step, this.keys.galois, rotated);
    } catch (cause) {
      const detail = `the evaluation keys cannot rotate by ${step}: ${sealReason(cause)}`;
      throw new HomomorphicError('keys_insufficient', detail, { cause });
    }
    this.#rotations += 1;
    return rotated;
  }

  /** The values in the slots of every row. */
  #plainRows(values: readonly number[], like: Ciphertext): Plaintext {
    const { rows, length } = this.evaluation;
    const stride = strideOf(length);
    const slots = new Float64Array(this.keys.sealSet.set.slots);
    for (let row = 0; row < rows; row += 1) slots.set(values, row * stride);
    return this.#encode(slots, like, 2 ** (this.keys.sealSet.set.scaleBits ?? 0));
  }

  /** One value is put into all slots that a row begins in. */
  #encode(values: ArrayLike<number>, like: Ciphertext, scale: number): Plaintext {
    const { ckks, batch, set } = this.keys.sealSet;
    const plain = this.scope.own(new this.seal.Plaintext());
    const slots = values.length === 1 ? this.#atRows(values[0] ?? 0) : values;
    if (ckks) {
      ckks.encode(Float64Array.from(slots), scale, plain);
      this.keys.sealSet.evaluator.plainModSwitchToInplace(plain, like.parmsId());
    } else {
      // The encoder has two rows of slots, of which the first is used.
      const both = new BigInt64Array(set.degree);
      both.set(Array.from(slots, (value) => BigInt(value)));
      batch?.encode(both, plain);
    }
    return plain;
  }

  #atRows(value: number): Float64Array {
    const { rows, length } = this.evaluation;
    const slots = new Float64Array(this.keys.sealSet.set.slots);
    for (let row = 0; row < rows; row += 1) slots[row * strideOf(length)] = value;
    return slots;
  }

  #levelOf(ciphertext: Ciphertext): number {
    return this.keys.sealSet.context.getContextData(ciphertext.parmsId()).chainIndex();
  }

  /** The prime by which the next rescaling divides. */
  #lastPrimeOf(ciphertext: Ciphertext): number {
    const { context } = this.keys.sealSet;
    const primes = context.getContextData(ciphertext.parmsId()).parms().coeffModulus();
    return Number(primes.get(primes.size() - 1)?.value());
  }
}

/** @throws HomomorphicError `operation_unsupported` that names the field */
const checkEvaluation = ({ sealSet: { set } }: LoadedKeys, evaluation: Evaluation): void => {
  const { operation, ciphertexts, length, rows, weights, bias } = evaluation;
  const demand = (condition: boolean, message: string): void => {
    if (!condition) throw new HomomorphicError('operation_unsupported', message);
  };
  const stride = strideOf(length);
  demand(rows * stride <= set.slots, `rows: expected at most ${Math.floor(set.slots / stride)}`);
  const needed = operation === 'dot' ? 2 : 1;
  demand(
    operation === 'sum' ? ciphertexts.length >= 1 : ciphertexts.length === needed,
    `ciphertexts: ${operation} expects ${needed}, received ${ciphertexts.length}`,
  );
  const isScoring = operation === 'linear' || operation === 'logistic';
  demand(
    weights.length === (isScoring ? length : 0),
    `weights: expected ${isScoring ? length : 0} numbers, received ${weights.length}`,
  );
  demand(operation !== 'logistic' || set.scheme === 'ckks', 'operation: logistic needs CKKS');
  const isWhole = [...weights, bias].every((value) => Number.isSafeInteger(value));
  demand(set.scheme === 'ckks' || isWhole, 'weights: BFV expects whole numbers');
};

const unsupported = (at: number, detail: string): never => {
  throw new HomomorphicError('ciphertext_unsupported', `ciphertexts[${at}]: ${detail}`);
};
