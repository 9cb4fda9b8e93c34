import SEAL from 'node-seal';

/** As the gateway has them; its contexts are built from the same numbers. */
const PARAMETER_SETS = {
  'ckks-8192': { scheme: 'ckks', coefficientBits: [50, 30, 30, 30, 50], scale: 2 ** 30 },
  'bfv-8192': { scheme: 'bfv', coefficientBits: [43, 43, 44, 44, 44], plainBits: 32 },
};
const DEGREE = 8_192;
const SLOTS = 4_096;
const MAGIC = 'QFHE1';

const strideOf = (length) => 2 ** Math.ceil(Math.log2(length));

const contextOf = (seal, name) => {
  const set = PARAMETER_SETS[name];
  if (!set) throw new RangeError(`the parameters ${name} are not known`);
  const parameters = new seal.EncryptionParameters(seal.SchemeType[set.scheme]);
  parameters.setPolyModulusDegree(DEGREE);
  parameters.setCoeffModulus(
    seal.CoeffModulus.Create(DEGREE, Int32Array.from(set.coefficientBits)),
  );
  if (set.plainBits) {
    parameters.setPlainModulus(seal.PlainModulus.Batching(DEGREE, set.plainBits));
  }
  return new seal.SEALContext(parameters, true, seal.SecLevelType.tc128);
};

/** Runs a function with objects of the WebAssembly memory, and frees them. */
const scoped = (use) => {
  const owned = [];
  try {
    return use((handle) => {
      owned.push(handle);
      return handle;
    });
  } finally {
    for (const handle of owned) handle.delete();
  }
};

export class FheClient {
  #seal;
  #context;
  #secretKey;
  #generator;

  constructor(seal, parameters, secret) {
    this.#seal = seal;
    this.parameters = parameters;
    this.#context = contextOf(seal, parameters);
    if (secret) {
      this.#secretKey = new seal.SecretKey();
      this.#secretKey.loadFromArray(this.#context, secret);
      this.#generator = new seal.KeyGenerator(this.#context, this.#secretKey);
    } else {
      this.#generator = new seal.KeyGenerator(this.#context);
      this.#secretKey = this.#generator.secretKey();
    }
  }

  static async create(parameters) {
    return new FheClient(await SEAL(), parameters);
  }

  static async open(saved) {
    const end = saved.indexOf(0x0a);
    const parameters = new TextDecoder().decode(saved.subarray(0, end));
    return new FheClient(await SEAL(), parameters, saved.subarray(end + 1));
  }

  save() {
    const secret = this.#secretKey.saveToArray(this.#seal.ComprModeType.zstd);
    return Uint8Array.from([...new TextEncoder().encode(`${this.parameters}\n`), ...secret]);
  }

  evaluationKeys(lengthMax = SLOTS) {
    const steps = [];
    for (let step = 1; step < strideOf(lengthMax); step *= 2) steps.push(step);
    const { zstd } = this.#seal.ComprModeType;
    return scoped((own) => {
      const relinearization = own(this.#generator.createRelinKeysSerializable()).saveToArray(zstd);
      const rotations = Int32Array.from(steps.length > 0 ? steps : [1]);
      const galois = own(
        this.#generator.createGaloisKeysSerializableWithSteps(rotations),
      ).saveToArray(zstd);
      const header = new TextEncoder().encode(
        JSON.stringify({
          parameters: this.parameters,
          relinearization_bytes: relinearization.length,
          galois_bytes: galois.length,
        }),
      );
      const file = new Uint8Array(
        MAGIC.length + 4 + header.length + relinearization.length + galois.length,
      );
      file.set(new TextEncoder().encode(MAGIC));
      new DataView(file.buffer).setUint32(MAGIC.length, header.length);
      let at = MAGIC.length + 4;
      for (const part of [header, relinearization, galois]) {
        file.set(part, at);
        at += part.length;
      }
      return file;
    });
  }

  encrypt(rows) {
    const length = rows[0]?.length ?? 0;
    const stride = strideOf(length);
    if (length === 0 || rows.some((row) => row.length !== length)) {
      throw new RangeError('the rows do not have one length');
    }
    if (rows.length * stride > SLOTS) {
      throw new RangeError(`a ciphertext has room for ${Math.floor(SLOTS / stride)} such rows`);
    }
    const values = new Float64Array(SLOTS);
    for (const [at, row] of rows.entries()) values.set(row, at * stride);
    return scoped((own) => {
      const plain = own(new this.#seal.Plaintext());
      this.#encode(own, values, plain);
      const publicKey = own(this.#generator.createPublicKey());
      const encryptor = own(new this.#seal.Encryptor(this.#context, publicKey, this.#secretKey));
      const ciphertext = own(encryptor.encryptSymmetricSerializable(plain));
      return toBase64(ciphertext.saveToArray(this.#seal.ComprModeType.zstd));
    });
  }

  decrypt(ciphertext, rows, length) {
    return scoped((own) => {
      const sealed = own(new this.#seal.Ciphertext());
      sealed.loadFromArray(this.#context, fromBase64(ciphertext));
      const plain = own(new this.#seal.Plaintext());
      own(new this.#seal.Decryptor(this.#context, this.#secretKey)).decrypt(sealed, plain);
      const values = this.#decode(own, plain);
      return Array.from({ length: rows }, (_, row) => Number(values[row * strideOf(length)]));
    });
  }

  close() {
    for (const handle of [this.#secretKey, this.#generator, this.#context]) handle.delete();
  }

  #encode(own, values, plain) {
    const { scheme, scale } = PARAMETER_SETS[this.parameters];
    if (scheme === 'ckks') {
      own(new this.#seal.CKKSEncoder(this.#context)).encode(values, scale, plain);
      return;
    }
    const integers = new BigInt64Array(DEGREE);
    integers.set(Array.from(values, (value) => BigInt(value)));
    own(new this.#seal.BatchEncoder(this.#context)).encode(integers, plain);
  }

  #decode(own, plain) {
    return PARAMETER_SETS[this.parameters].scheme === 'ckks'
      ? own(new this.#seal.CKKSEncoder(this.#context)).decodeFloat64(plain)
      : own(new this.#seal.BatchEncoder(this.#context)).decodeBigInt64(plain);
  }
}

const toBase64 = (bytes) => Buffer.from(bytes).toString('base64');
const fromBase64 = (text) => new Uint8Array(Buffer.from(text, 'base64'));
