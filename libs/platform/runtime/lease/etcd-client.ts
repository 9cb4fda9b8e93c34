import { z } from 'zod';

/** etcd did not answer, or answered with an error. */
export class EtcdError extends Error {
  override readonly name = 'EtcdError';
}

export interface EtcdTarget {
  /** `http://host:port` or `https://host:port`, tried in turn. */
  readonly endpoints: readonly string[];
  /** The first part of every key. */
  readonly name: string;
}

/** Integers of 64 bits are strings in etcd's JSON, and an absent field is zero. */
const Int64 = z.string().default('0');

const Granted = z.object({ ID: z.string(), TTL: Int64 });
const Kept = z.object({ result: z.object({ TTL: Int64 }) });
const Found = z.object({
  kvs: z.array(z.object({ key: z.string(), lease: Int64 })).default([]),
});
const Anything = z.object({});

const REQUEST_MS_MAX = 2_000;

const encoded = (text: string): string => Buffer.from(text).toString('base64');

const decoded = (text: string): string => Buffer.from(text, 'base64').toString();

/** The first key after all keys that begin so; the prefix is ASCII. */
const endOf = (prefix: string): string =>
  prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);

export interface EtcdKey {
  readonly key: string;
  /** The lease that the key lives with. */
  readonly lease: string;
}

/**
 * The part of etcd's version 3 interface that an election needs, over its JSON gateway.
 * Every method throws `EtcdError`.
 */
export class EtcdClient {
  #current = 0;

  constructor(private readonly endpoints: readonly string[]) {}

  /** @returns the id of a lease of at least so many seconds */
  async grantLease(seconds: number): Promise<string> {
    return (await this.#post('/v3/lease/grant', { TTL: seconds }, Granted)).ID;
  }

  /** Whether the lease still exists; it then has its full time again. */
  async keepLease(id: string): Promise<boolean> {
    const { result } = await this.#post('/v3/lease/keepalive', { ID: id }, Kept);
    return Number(result.TTL) > 0;
  }

  /** Its keys are gone when this resolves. */
  async revokeLease(id: string): Promise<void> {
    await this.#post('/v3/lease/revoke', { ID: id }, Anything);
  }

  /** Nothing happens where the key exists. */
  async createKey(key: string, lease: string): Promise<void> {
    const name = encoded(key);
    const compare = [{ key: name, target: 'CREATE', create_revision: '0' }];
    const success = [{ request_put: { key: name, value: name, lease } }];
    await this.#post('/v3/kv/txn', { compare, success }, Anything);
  }

  /** The keys that begin so, in the order of their creation. */
  async keysOf(prefix: string): Promise<readonly EtcdKey[]> {
    const range = { key: encoded(prefix), range_end: encoded(endOf(prefix)), keys_only: true };
    const order = { sort_order: 'ASCEND', sort_target: 'CREATE' };
    const { kvs } = await this.#post('/v3/kv/range', { ...range, ...order }, Found);
    return kvs.map(({ key, lease }) => ({ key: decoded(key), lease }));
  }

  /** Asks the endpoints in turn, beginning with the one that answered last. */
  async #post<Answer>(path: string, body: object, schema: z.ZodType<Answer>): Promise<Answer> {
    let failure: unknown;
    for (const [index] of this.endpoints.entries()) {
      const chosen = (this.#current + index) % this.endpoints.length;
      try {
        const answer = await postJson(`${this.endpoints[chosen] ?? ''}${path}`, body);
        this.#current = chosen;
        return schema.parse(answer);
      } catch (error) {
        failure = error;
      }
    }
    throw new EtcdError(`etcd does not answer ${path}`, { cause: failure });
  }
}

/** Keep-alive answers with a stream of one line; the request has ended, so it ends too. */
const postJson = async (url: string, body: object): Promise<unknown> => {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
  });
  const text = await response.text();
  if (!response.ok) throw new EtcdError(`status ${response.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text);
};
