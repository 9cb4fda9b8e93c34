import { createHmac } from 'node:crypto';
import { type NameKind } from '#events/identity/name.events.js';

/**
 * Finds names again without holding them: HMAC-SHA-256 with keys of the installation. Letters differ
 * by case in no name.
 */
export class NameIndex {
  /** @param keys 32 bytes each */
  constructor(private readonly keys: Readonly<Record<NameKind, Buffer>>) {}

  hashOf(kind: NameKind, name: string): string {
    const folded = name.normalize('NFC').toLowerCase();
    return createHmac('sha256', this.keys[kind]).update(folded, 'utf8').digest('hex');
  }
}
