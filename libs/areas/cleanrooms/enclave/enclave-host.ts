import { hash } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { reject } from '../cleanrooms.errors.js';
import { EnclaveModels } from './enclave-models.port.js';
import {
  Enclave,
  EnclaveError,
  type EnclaveIdentity,
  type InferenceOrder,
  type SealedAnswer,
} from './enclave.engine.js';
import { ENCLAVE_SETTINGS, type EnclaveSettings } from './enclave.settings.js';

const KEY_ID_DIGITS = 16;

/** The enclave process of this gateway. Every gateway of an installation has the same key in it. */
@Injectable()
export class EnclaveHost implements OnApplicationShutdown {
  #enclave: Enclave | undefined;

  constructor(
    @Inject(SECRETS) private readonly secrets: Pick<Secrets, 'key'>,
    private readonly models: EnclaveModels,
    @Inject(ENCLAVE_SETTINGS) private readonly settings: EnclaveSettings,
  ) {}

  /** @throws DomainError `cleanroom_enclave_unavailable` */
  identity(): Promise<EnclaveIdentity> {
    return this.#run((enclave) => enclave.identity());
  }

  /**
   * The identity, for a caller that has sealed something for a key.
   * @param keyId of that key; null: the caller does not say
   * @throws DomainError `cleanroom_enclave_key_unknown`
   */
  async demandKey(keyId: string | null): Promise<EnclaveIdentity> {
    const identity = await this.identity();
    const current = keyIdOf(identity);
    if (keyId === null || keyId === current) return identity;
    const detail = `enclave_key_id: the key of the enclave is ${current}; attest the room again`;
    return reject('cleanroom_enclave_key_unknown', detail);
  }

  /** @throws DomainError; EnclaveError `unsealable` */
  open(order: Parameters<Enclave['open']>[0]): Promise<Buffer> {
    return this.#run((enclave) => enclave.open(order));
  }

  /** @throws DomainError; EnclaveError */
  infer(order: InferenceOrder, signal: AbortSignal): Promise<SealedAnswer> {
    return this.#run((enclave) => enclave.infer(order, signal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#enclave?.close();
  }

  async #run<Result>(use: (enclave: Enclave) => Promise<Result>): Promise<Result> {
    this.#enclave ??= new Enclave({
      seed: this.secrets.key('cleanroom-enclave'),
      modelFile: this.models.find(this.settings.model)?.file ?? null,
    });
    try {
      return await use(this.#enclave);
    } catch (error) {
      const isGone =
        error instanceof EnclaveError && (error.code === 'crashed' || error.code === 'closed');
      if (!isGone) throw error;
      return reject('cleanroom_enclave_unavailable', `${error.message}; try again`);
    }
  }
}

/** Names an enclave key: 64 bits of its SHA-256, in hex. */
export const keyIdOf = ({ spki }: Pick<EnclaveIdentity, 'spki'>): string =>
  hash('sha256', spki).slice(0, KEY_ID_DIGITS);

/** The context of every message to the enclave about a room. */
export const sealInfo = (cleanroomId: string): string => `quipu/cleanroom/1\n${cleanroomId}`;
