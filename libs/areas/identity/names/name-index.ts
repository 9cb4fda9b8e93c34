import { Inject, Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { type NameKind } from '#events/identity/name.events.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';

/**
 * Hashes names for look-up without storing them: HMAC-SHA-256 with keys of the installation. Names
 * are case-insensitive.
 */
@Injectable()
export class NameIndex {
  readonly #keys: Readonly<Record<NameKind, Buffer>>;

  constructor(@Inject(SECRETS) secrets: Secrets) {
    this.#keys = { username: secrets.key('username-index'), email: secrets.key('email-index') };
  }

  hashOf(kind: NameKind, name: string): string {
    const folded = name.normalize('NFC').toLowerCase();
    return createHmac('sha256', this.#keys[kind]).update(folded, 'utf8').digest('hex');
  }
}
