import { Inject, Injectable } from '@nestjs/common';
import { type Alert } from '#events/alerts/alert.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { projectionPages } from '#platform/runtime/projections/all-documents.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { CLOCK, PROJECTIONS } from '#platform/runtime/tokens.js';
import {
  apiKeyKey,
  apiKeys,
  apiKeysOf,
  type ListedApiKey,
} from '#projections/identity/api-keys.projection.js';

const DAY_MS = 86_400_000;
const KEY_ID_LENGTH = 16;

/** The keys of an account that end soon: no key of a session, and none that has a successor. */
@Injectable()
export class EndingKeys {
  constructor(
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async within(accountId: string, days: number): Promise<readonly Alert[]> {
    const now = instant(this.clock);
    const until = new Date(this.clock.now() + days * DAY_MS).toISOString();
    const isEnding = ({ sessionId, isRotated, endsAt }: ListedApiKey): boolean =>
      sessionId === null && !isRotated && endsAt !== null && endsAt > now && endsAt <= until;
    const range = { prefix: apiKeysOf(accountId), from: apiKeyKey(accountId, now) };
    const alerts: Alert[] = [];
    for await (const { documents } of projectionPages(this.projections, apiKeys, range)) {
      for (const { document } of documents.filter((one) => isEnding(one.document))) {
        const keyId = document.keyHash.slice(0, KEY_ID_LENGTH);
        const endsAt = document.endsAt ?? '';
        alerts.push({ kind: 'key_ending', keyId, endsAt, withinDays: days });
      }
    }
    return alerts;
  }
}
