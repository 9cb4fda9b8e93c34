import { describe, expect, it } from '@jest/globals';
import { type ChatStrategy } from './chat-strategies.js';
import { openInference, orderOf } from './inference-world.fixture.js';

describe('a chat with a strategy', () => {
  const reply = { text: '{}' } as Awaited<ReturnType<ChatStrategy['complete']>>;
  const stream = { rig: null } as Awaited<ReturnType<ChatStrategy['stream']>>;
  const asked: unknown[] = [];
  const strategy: ChatStrategy = {
    complete: (order, signal) => {
      asked.push([order, signal.aborted]);
      return Promise.resolve(reply);
    },
    stream: (order, signal) => {
      asked.push([order, signal.aborted]);
      return Promise.resolve(stream);
    },
  };

  it('is held, answered and charged by the strategy alone', async () => {
    const inference = openInference({ strategy });
    const order = orderOf({}, 'hybrid_cnn');
    expect(await inference.complete(order)).toBe(reply);
    expect(await inference.stream(order)).toBe(stream);
    expect(asked).toEqual([
      [order, false],
      [order, false],
    ]);
    expect(inference.ledger.calls).toEqual([]);
    expect(inference.rigs.asked).toEqual([]);
  });

  it('is needed for a mode that no rig has', async () => {
    const inference = openInference();
    const answering = inference.complete(orderOf({}, 'hybrid_cnn'));
    await expect(answering).rejects.toMatchObject({ code: 'routing_mode_unavailable' });
    expect(inference.ledger.calls).toEqual([]);
  });
});
