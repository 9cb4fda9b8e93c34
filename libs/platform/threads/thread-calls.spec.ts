import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from '@jest/globals';
import { batchedEndpoint } from './batched-endpoint.js';
import { ThreadCalls } from './thread-calls.js';

type Adder = {
  readonly add: (numbers: { readonly one: bigint; readonly other: bigint }) => Promise<bigint>;
  readonly wait: (gate: string) => Promise<string>;
  readonly fail: (reason: string) => never;
  readonly note: (word: string) => void;
};
type Nothing = Record<string, never>;

describe('calls between threads', () => {
  const channels: MessageChannel[] = [];
  afterEach(() => {
    for (const { port1 } of channels.splice(0)) port1.close();
  });

  const openCalls = () => {
    const channel = new MessageChannel();
    channels.push(channel);
    const gates = new Map<string, (word: string) => void>();
    const noted: string[] = [];
    const there = new ThreadCalls<Nothing, Adder>(channel.port2, {
      add: ({ one, other }) => Promise.resolve(one + other),
      wait: (gate) => new Promise((resolve) => gates.set(gate, resolve)),
      fail: (reason) => {
        throw new TypeError(reason);
      },
    });
    const here = new ThreadCalls<Adder, Nothing>(channel.port1, {});
    return { here, there, gates, noted };
  };

  it('are answered with the result of the other side', async () => {
    const { here } = openCalls();
    expect(await here.call('add', { one: 1n, other: 2n })).toBe(3n);
  });

  it('are answered in any order', async () => {
    const { here, gates } = openCalls();
    const first = here.call('wait', 'first');
    expect(await here.call('add', { one: 2n, other: 2n })).toBe(4n);
    gates.get('first')?.('open');
    expect(await first).toBe('open');
  });

  it('travel together when their channel is batched, and are answered as before', async () => {
    const channel = new MessageChannel();
    channels.push(channel);
    const messages: unknown[] = [];
    channel.port2.on('message', (message) => messages.push(message));
    const add: Adder['add'] = ({ one, other }) => Promise.resolve(one + other);
    const there = new ThreadCalls<Nothing, Adder>(batchedEndpoint(channel.port2), { add });
    const here = new ThreadCalls<Adder, Nothing>(batchedEndpoint(channel.port1), {});
    const numbers = [1n, 2n, 3n];
    const sums = numbers.map((one) => here.call('add', { one, other: one }));
    expect(await Promise.all(sums)).toEqual([2n, 4n, 6n]);
    expect(messages).toEqual([[expect.anything(), expect.anything(), expect.anything()]]);
    there.end('the spec is over');
  });

  it('fail with the message of the other side', async () => {
    const { here } = openCalls();
    await expect(here.call('fail', 'the disk is full')).rejects.toThrow('the disk is full');
  });

  it('fail while the other side does not offer the answer', async () => {
    const { here, there, noted } = openCalls();
    await expect(here.call('note', 'one')).rejects.toThrow('does not answer note now');
    there.offer({ note: (word) => void noted.push(word) });
    await here.call('note', 'two');
    here.tell('note', 'three');
    await here.call('add', { one: 0n, other: 0n });
    expect(noted).toEqual(['two', 'three']);
  });

  it('fail with the reason of the end, open ones and later ones', async () => {
    const { here } = openCalls();
    const open = here.call('wait', 'never');
    here.end('the thread ended');
    await expect(open).rejects.toThrow('the thread ended');
    await expect(here.call('add', { one: 1n, other: 1n })).rejects.toThrow('the thread ended');
  });
});
