import { Injectable } from '@nestjs/common';
import { type PriceLine } from '#events/hold.vocabulary.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { linesOf } from './look-admission.js';
import { engineOf } from './look-at-frame.handler.js';
import { Looker } from './looker.js';
import { type SeenObject } from './vision.engine.js';

const LOOK = { mode: 'detect', confidence: 0.3, overlap: 0.5, background: null } as const;
/** Objects that a description names. */
const NAMED_MAX = 8;
const THIRDS = [1 / 3, 2 / 3] as const;

/** Pictures in words, for models that read text alone. The caller holds and charges. */
@Injectable()
export class PictureDescriptions {
  constructor(
    private readonly looker: Looker,
    private readonly prices: MeterPrices,
  ) {}

  /** @throws DomainError `vision_not_priced` */
  linesOf(pictures: number, atMs: number): PriceLine[] {
    return linesOf(this.prices, atMs, pictures).lines;
  }

  /** @throws as `Looker.look` */
  async describe(accountId: string, file: Uint8Array, signal: AbortSignal) {
    const end = await this.looker.look({ ...LOOK, accountId, file }, signal);
    return { engine: engineOf(LOOK.mode, end), text: descriptionOf(end.objects) };
  }
}

/** In ASCII, and at most 600 characters. */
export const descriptionOf = (objects: readonly SeenObject[]): string => {
  if (objects.length === 0) return 'The picture shows no shape that the detector knows.';
  const named = objects.slice(0, NAMED_MAX).map(nameOf);
  const more = objects.length - named.length;
  return `The picture shows ${named.join(', ')}${more > 0 ? ` and ${more} more shapes` : ''}.`;
};

const nameOf = ({ label, colour, box: [left, top, right, bottom] }: SeenObject): string => {
  const row = wordOf((top + bottom) / 2, ['top', 'middle', 'bottom']);
  const column = wordOf((left + right) / 2, ['left', 'centre', 'right']);
  const words = colour === null ? label : `${colour} ${label}`;
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words} at the ${row} ${column}`;
};

const wordOf = (place: number, words: readonly [string, string, string]): string => {
  if (place < THIRDS[0]) return words[0];
  return place < THIRDS[1] ? words[1] : words[2];
};
