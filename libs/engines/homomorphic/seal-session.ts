import SEAL, { type MainModule } from 'node-seal';
import { HomomorphicError } from './homomorphic.errors.js';
import { type KeyBundle } from './key-bundle.js';
import { PARAMETER_SETS, type ParameterSet, type ParameterSetName } from './parameter-sets.js';

export type Seal = MainModule;
export type SealContext = InstanceType<Seal['SEALContext']>;
export type Ciphertext = InstanceType<Seal['Ciphertext']>;
export type Plaintext = InstanceType<Seal['Plaintext']>;

/** The WebAssembly build of Microsoft SEAL that rejects transparent ciphertexts. */
export const openSeal = (): Promise<Seal> => SEAL();

/** The context, encoders and evaluator of one parameter set. */
export interface SealSet {
  readonly name: ParameterSetName;
  readonly set: ParameterSet;
  readonly context: SealContext;
  readonly evaluator: InstanceType<Seal['Evaluator']>;
  readonly ckks: InstanceType<Seal['CKKSEncoder']> | null;
  readonly batch: InstanceType<Seal['BatchEncoder']> | null;
}

export const openSet = (seal: Seal, name: ParameterSetName): SealSet => {
  const set: ParameterSet = PARAMETER_SETS[name];
  const { degree, coefficientBits, plainBits, scheme } = set;
  const parameters = new seal.EncryptionParameters(seal.SchemeType[scheme]);
  parameters.setPolyModulusDegree(degree);
  parameters.setCoeffModulus(seal.CoeffModulus.Create(degree, Int32Array.from(coefficientBits)));
  if (plainBits !== null) {
    parameters.setPlainModulus(seal.PlainModulus.Batching(degree, plainBits));
  }
  const context = new seal.SEALContext(parameters, true, seal.SecLevelType.tc128);
  if (!context.parametersSet()) throw new Error(`the parameters ${name} are not secure`);
  return {
    name,
    set,
    context,
    evaluator: new seal.Evaluator(context),
    ckks: scheme === 'ckks' ? new seal.CKKSEncoder(context) : null,
    batch: scheme === 'bfv' ? new seal.BatchEncoder(context) : null,
  };
};

/** The evaluation keys of one client, in memory. */
export interface LoadedKeys {
  readonly sealSet: SealSet;
  readonly relinearization: InstanceType<Seal['RelinKeys']>;
  readonly galois: InstanceType<Seal['GaloisKeys']>;
}

/** @throws HomomorphicError `keys_malformed` */
export const loadKeys = (seal: Seal, sealSet: SealSet, bundle: KeyBundle): LoadedKeys => {
  const relinearization = new seal.RelinKeys();
  const galois = new seal.GaloisKeys();
  try {
    relinearization.loadFromArray(sealSet.context, bundle.relinearization);
    galois.loadFromArray(sealSet.context, bundle.galois);
  } catch (cause) {
    relinearization.delete();
    galois.delete();
    const detail = `the file of evaluation keys: ${sealReason(cause)}`;
    throw new HomomorphicError('keys_malformed', detail, { cause });
  }
  return { sealSet, relinearization, galois };
};

/** The message of an exception of SEAL, which is a pair of its type and its text. */
export const sealReason = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const message: unknown = error.message;
  return Array.isArray(message) ? String(message.at(-1)) : String(message);
};
