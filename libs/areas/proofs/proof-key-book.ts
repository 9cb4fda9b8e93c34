import { Inject, Injectable } from '@nestjs/common';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { PROJECTIONS } from '#platform/runtime/tokens.js';
import { proofKeys, type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { BUILT_IN_KEYS } from './built-in.keys.js';
import { reject } from './proofs.errors.js';

export interface KeyPage {
  readonly found: readonly RegisteredKey[];
  readonly total: number;
  readonly position: bigint;
}

/** The registered keys, and the ones that ship with Quipu. */
@Injectable()
export class ProofKeyBook {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'get' | 'list' | 'count'>,
  ) {}

  /** @throws DomainError `proof_key_not_found`, `proof_key_retired` */
  async inForce(keyId: string): Promise<RegisteredKey> {
    const builtIn = BUILT_IN_KEYS.find((one) => one.keyId === keyId);
    if (builtIn) return builtIn;
    const { document } = await this.projections.get(proofKeys, keyId);
    const key = document?.key;
    if (!key) return reject('proof_key_not_found', `there is no proof key ${keyId}`);
    if (key.retiredAt === null) return key;
    return reject('proof_key_retired', `the proof key ${keyId} was retired at ${key.retiredAt}`);
  }

  /** A key in force with this hash. */
  async withHash(sha256: string): Promise<RegisteredKey | undefined> {
    const { documents } = await this.projections.list(proofKeys, {
      prefix: '',
      direction: 'forwards',
    });
    const registered = documents.flatMap(({ document }) => document.key ?? []);
    return [...BUILT_IN_KEYS, ...registered].find(
      (one) => one.sha256 === sha256 && one.retiredAt === null,
    );
  }

  async page(page: number, limit: number): Promise<KeyPage> {
    const { documents, position } = await this.projections.list(proofKeys, {
      prefix: '',
      direction: 'forwards',
      limit,
      offset: (page - 1) * limit,
    });
    const found = documents.flatMap(({ document }) => document.key ?? []);
    return { found, total: await this.projections.count(proofKeys, ''), position };
  }
}
