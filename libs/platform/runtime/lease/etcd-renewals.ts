import { type EtcdClient } from './etcd-client.js';
import { type ReaderGroup } from './reader-groups.js';
import { type Renewals, TermOverError } from './renewals.port.js';

export interface EtcdRenewalsOptions {
  readonly etcd: EtcdClient;
  /** The first part of every key. */
  readonly name: string;
  readonly group: ReaderGroup;
  /** Of this process. */
  readonly instance: string;
  readonly ttlMs: number;
}

/**
 * An election as etcd's recipe has it: each process has a key that lives with its lease, and the
 * process with the oldest key leads. etcd removes the key of a process that does not renew, at the
 * end of the lease by its own clock, which is not before the process has given up. The log still
 * numbers the terms, so that the tokens rise whatever becomes of etcd's data.
 */
export class EtcdRenewals implements Renewals {
  readonly election = 'etcd';
  #lease: string | undefined;
  #candidates: number | null = null;

  constructor(private readonly options: EtcdRenewalsOptions) {}

  async mayTake(): Promise<boolean> {
    const { etcd, instance, ttlMs } = this.options;
    const prefix = this.#prefix();
    if (this.#lease === undefined || !(await etcd.keepLease(this.#lease))) {
      this.#lease = await etcd.grantLease(Math.ceil(ttlMs / 1_000));
    }
    const key = `${prefix}${instance}`;
    await etcd.createKey(key, this.#lease);
    const keys = await etcd.keysOf(prefix);
    this.#candidates = keys.length;
    const [oldest] = keys;
    // A process of this name before may have left its key, which lives with its own lease.
    return oldest?.key === key && oldest.lease === this.#lease;
  }

  /** The key of a holder before is gone by now. */
  async claim(): Promise<boolean> {
    await this.renew();
    return false;
  }

  async renew(): Promise<void> {
    const { etcd } = this.options;
    if (this.#lease === undefined || !(await etcd.keepLease(this.#lease))) {
      throw new TermOverError('etcd has ended the lease of this process');
    }
    // Not awaited: the lease is renewed, whether the others can be counted or not.
    void this.#count();
  }

  /** Where etcd does not answer, the lease ends by itself. */
  async leave(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease !== undefined) await this.options.etcd.revokeLease(lease).catch(() => undefined);
  }

  candidates(): number | null {
    return this.#candidates;
  }

  /** Processes join after the leader has taken the lease. */
  async #count(): Promise<void> {
    const keys = await this.options.etcd.keysOf(this.#prefix()).catch(() => undefined);
    if (keys) this.#candidates = keys.length;
  }

  #prefix(): string {
    const { name, group } = this.options;
    return `${name}/${group}/`;
  }
}
