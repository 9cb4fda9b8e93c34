import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type RegisteredKey } from '#projections/proofs/proof-keys.projection.js';
import { BUILT_IN_KEYS } from './built-in.keys.js';
import { type KeyPage, ProofKeyBook } from './proof-key-book.js';

export interface ListedKeys extends KeyPage {
  readonly builtIn: readonly RegisteredKey[];
}

/** A page of the registered keys, by id, with the retired ones. */
export class ProofKeysQuery extends Query<ListedKeys> {
  constructor(
    /** From 1. */
    readonly page: number,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ProofKeysQuery)
export class ProofKeysHandler implements IQueryHandler<ProofKeysQuery> {
  constructor(private readonly book: ProofKeyBook) {}

  async execute({ page, limit }: ProofKeysQuery): Promise<ListedKeys> {
    return { ...(await this.book.page(page, limit)), builtIn: BUILT_IN_KEYS };
  }
}

/** A key in force. */
export class ProofKeyQuery extends Query<RegisteredKey> {
  constructor(readonly keyId: string) {
    super();
  }
}

@QueryHandler(ProofKeyQuery)
export class ProofKeyHandler implements IQueryHandler<ProofKeyQuery> {
  constructor(private readonly book: ProofKeyBook) {}

  /** @throws DomainError `proof_key_not_found`, `proof_key_retired` */
  execute({ keyId }: ProofKeyQuery): Promise<RegisteredKey> {
    return this.book.inForce(keyId);
  }
}
