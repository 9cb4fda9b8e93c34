import { Inject, Injectable } from '@nestjs/common';
import { UserId } from '#events/vocabulary.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { userStream } from '../identity.streams.js';

/**
 * Finds the lowest unused user id. The first append to a user's stream takes its id, and ids are
 * taken in order without gaps, so a doubling search finds the end in a few reads.
 */
@Injectable()
export class UserIds {
  /** Every id below is taken. */
  #candidate = 1;

  constructor(@Inject(EVENT_STORE) private readonly eventStore: EventStore) {}

  async next(): Promise<UserId> {
    let stride = 1;
    while (await this.#isTaken(this.#candidate + stride - 1)) {
      this.#candidate += stride;
      stride *= 2;
    }
    while (stride > 1) {
      stride /= 2;
      if (await this.#isTaken(this.#candidate + stride - 1)) this.#candidate += stride;
    }
    return UserId.parse(this.#candidate);
  }

  async #isTaken(userId: number): Promise<boolean> {
    for await (const page of this.eventStore.read(userStream(userId), { maxCount: 1 })) {
      if (page.length > 0) return true;
    }
    return false;
  }
}
