import { Inject, Injectable } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { type NameKind } from '#events/identity/name.events.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';

/**
 * Hashes names for look-up without storing them: HMAC-SHA-256 with keys of the installation. Names
 * and e-mail addresses are case-insensitive.
 */
@Injectable()
export class NameIndex {
  readonly #keys: Readonly<Record<NameKind, Uint8Array>>;

  constructor(@Inject(SECRETS) secrets: Secrets) {
    this.#keys = {
      username: secrets.key('username-index'),
      email: secrets.key('email-index'),
      openid: secrets.key('openid-index'),
    };
  }

  hashOf(kind: 'username' | 'email', name: string): string {
    return this.#hash(kind, name.normalize('NFC').toLowerCase());
  }

  /** Of a subject of an OpenID provider, which is case-sensitive. */
  hashOfSubject(issuer: string, subject: string): string {
    return this.#hash('openid', JSON.stringify([issuer, subject]));
  }

  #hash(kind: NameKind, text: string): string {
    return createHmac('sha256', this.#keys[kind]).update(text, 'utf8').digest('hex');
  }
}
