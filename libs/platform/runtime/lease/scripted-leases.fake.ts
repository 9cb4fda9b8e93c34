import { type LeadershipStatus, type ReaderLeases, type TermHandler } from './leadership.port.js';
import { READER_GROUPS, type ReaderGroup } from './reader-groups.js';

interface Scripted {
  readonly handler: TermHandler;
  token: bigint;
  isHeld: boolean;
}

/** Leases that change hands when a spec says so. */
export class ScriptedLeases implements ReaderLeases {
  readonly #leases = new Map<ReaderGroup, Scripted>();

  start(handlerOf: (group: ReaderGroup) => TermHandler): void {
    for (const group of READER_GROUPS) {
      this.#leases.set(group, { handler: handlerOf(group), token: 0n, isHeld: false });
    }
  }

  /** @param token rises from one process to the next */
  async give(token: bigint, groups = READER_GROUPS): Promise<void> {
    await this.#each(groups, async (lease) => {
      lease.token = token;
      lease.isHeld = true;
      const lost = () => (lease.isHeld = false);
      const held = () => Promise.resolve(lease.isHeld);
      await lease.handler.begin({ token, isHeld: () => lease.isHeld, held, lost });
    });
  }

  async take(groups = READER_GROUPS): Promise<void> {
    this.expire(groups);
    await this.#each(groups, (lease) => lease.handler.end());
  }

  /** As `take`, before the process has noticed. */
  expire(groups = READER_GROUPS): void {
    for (const group of groups) {
      const lease = this.#leases.get(group);
      if (lease) lease.isHeld = false;
    }
  }

  isHeld(group: ReaderGroup): boolean {
    return this.#leases.get(group)?.isHeld ?? false;
  }

  async stop(): Promise<void> {
    await this.take(READER_GROUPS.filter((group) => this.isHeld(group)));
  }

  status(): readonly LeadershipStatus[] {
    return [...this.#leases].map(([group, { token, isHeld }]) => ({
      group,
      role: isHeld ? 'leader' : 'standby',
      instance: 'spec',
      token: token.toString(),
      holder: null,
      failure: null,
      election: 'log',
      candidates: null,
    }));
  }

  async #each(
    groups: readonly ReaderGroup[],
    act: (lease: Scripted) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      groups.map(async (group) => {
        const lease = this.#leases.get(group);
        if (lease) await act(lease);
      }),
    );
  }
}
