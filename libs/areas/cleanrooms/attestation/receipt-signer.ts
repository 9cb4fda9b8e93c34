import { createPublicKey, hash, type KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { privateKeyOf } from '#platform/secrets/ed25519.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';

const RECEIPT_KEY = 'attestation-receipts';

/** The key of the installation that signs receipts. */
@Injectable()
export class ReceiptSigner {
  constructor(@Inject(SECRETS) private readonly secrets: Pick<Secrets, 'key'>) {}

  key(): KeyObject {
    return privateKeyOf(this.secrets.key(RECEIPT_KEY));
  }

  /** The public key, as PEM. */
  pem(): string {
    return createPublicKey(this.key()).export({ format: 'pem', type: 'spki' }).toString();
  }

  sha256(): string {
    const key = createPublicKey(this.key());
    return hash('sha256', key.export({ format: 'der', type: 'spki' }));
  }
}

/** The public key of the receipts, as PEM. */
export class ReceiptKeyQuery extends Query<string> {}

@QueryHandler(ReceiptKeyQuery)
export class ReceiptKeyHandler implements IQueryHandler<ReceiptKeyQuery> {
  constructor(private readonly signer: ReceiptSigner) {}

  execute(): Promise<string> {
    return Promise.resolve(this.signer.pem());
  }
}
