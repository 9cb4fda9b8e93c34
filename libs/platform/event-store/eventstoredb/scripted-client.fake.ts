import { StaleRevisionError } from '../event-store.errors.js';
import { metadata } from '../event-store.fixture.js';
import { Connection } from './connection.js';
import {
  type AppendRequest,
  type ClientAppendResult,
  type ClientListener,
  type ClientPage,
  type ClientRecord,
  type LogClient,
  type PageToRead,
} from './log-client.js';

/** A client without a server, controlled by the test. */
export class ScriptedClient implements LogClient {
  readonly log: ClientRecord[] = [];
  readonly subscriptions: { readonly after: bigint; readonly listener: ClientListener }[] = [];
  isDisposed = false;
  /** Its answer to appends; probes are rejected, as by a server. */
  answer: (request: AppendRequest) => Promise<ClientAppendResult> = () =>
    Promise.resolve({ revision: 0n, position: 1n });
  probe: () => Promise<void> = () => Promise.resolve();

  async append(request: AppendRequest): Promise<ClientAppendResult> {
    if (request.stream !== 'probe-connection') return this.answer(request);
    await this.probe();
    throw new StaleRevisionError(request.stream, request.expected, null);
  }

  async appendInOrder(requests: readonly AppendRequest[]): Promise<void> {
    for (const request of requests) await this.append(request);
  }

  readStream(stream: string, { from }: PageToRead): Promise<ClientPage> {
    const records = this.log.filter(
      (record) => record.streamId === stream && record.revision >= (from ?? 0n),
    );
    return Promise.resolve({ records, cut: false });
  }

  readAll({ direction, from, maxCount }: PageToRead): Promise<ClientPage> {
    const log = direction === 'forwards' ? this.log : this.log.toReversed();
    const records = log.filter(({ position }) => (position?.commit ?? 0n) >= (from ?? 0n));
    return Promise.resolve({ records: records.slice(0, maxCount), cut: false });
  }

  subscribe(after: bigint, listener: ClientListener): () => void {
    this.subscriptions.push({ after, listener });
    return () => undefined;
  }

  dispose(): Promise<void> {
    this.isDisposed = true;
    return Promise.resolve();
  }
}

export const recordAt = (position: bigint, part: Partial<ClientRecord> = {}): ClientRecord => ({
  streamId: 'job-1',
  id: '6f1e9a3c-5b0d-4a63-9d53-9a5ab0a1e001',
  revision: position - 1n,
  type: 'Counted',
  data: {},
  metadata: { ...metadata, recordedAt: '2026-01-02T03:04:05.678Z' },
  isJson: true,
  created: new Date(0),
  position: { commit: position },
  ...part,
});

/** A connection that returns these clients in turn, and then the last one again. */
export const connectionOf = (...clients: readonly ScriptedClient[]): Connection => {
  let made = 0;
  const connect = () => {
    const client = clients[Math.min(made, clients.length - 1)] ?? new ScriptedClient();
    made += 1;
    return client;
  };
  return new Connection({ connect, probeTimeoutMs: 50, logger: undefined });
};
