import { Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import {
  type ChatReply,
  ChatStrategy,
  type ChatStrategyDeclaration,
  type ChatStream,
} from '#platform/chats/chat-strategy.js';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { orderOf, REQUEST_ID } from '#platform/chats/chat-order.fixture.js';
import { ChatStrategies } from './chat-strategies.js';
import { llama, openInference } from './inference-world.fixture.js';

@Module({})
class EmptyModule {}

const reply = { text: '{}' } as ChatReply;
const stream = { rig: null } as ChatStream;

class Readings extends ChatStrategy {
  readonly asked: unknown[] = [];

  override complete(...asked: Parameters<ChatStrategy['complete']>): Promise<ChatReply> {
    this.asked.push(asked);
    return Promise.resolve(reply);
  }

  override stream(...asked: Parameters<ChatStrategy['stream']>): Promise<ChatStream> {
    this.asked.push(asked);
    return Promise.resolve(stream);
  }
}

class Networks extends Readings {
  override get models(): readonly string[] {
    return ['nets/one'];
  }
}

const open = (...declared: readonly ChatStrategyDeclaration[]) => {
  const area = defineArea({ name: 'knots', module: EmptyModule, chatStrategies: declared });
  const [readings, networks] = [new Readings(), new Networks()];
  const get = (type: unknown) => (type === Networks ? networks : readings);
  const { catalog } = openInference();
  const strategies = new ChatStrategies(new Areas([area]), { get: get as never }, catalog);
  return { strategies, readings, networks };
};

const READINGS = { modes: ['knot_reading', 'cord_reading'], strategy: Readings };
const NETWORKS = { modes: ['network'], strategy: Networks };

describe('a chat with a strategy', () => {
  it('is held, answered and charged by the strategy alone', async () => {
    const { strategies, readings } = open(READINGS);
    const inference = openInference({ strategies });
    const order = orderOf({}, 'knot_reading');
    const { signal } = inference.controller;
    expect(await inference.complete(order)).toBe(reply);
    expect(await inference.stream(order)).toBe(stream);
    expect(readings.asked).toEqual([
      [order, signal],
      [order, signal],
    ]);
    expect(inference.ledger.calls).toEqual([]);
    expect(inference.rigs.asked).toEqual([]);
  });

  it('is needed for a mode that no rig has', async () => {
    const inference = openInference();
    const answering = inference.complete(orderOf({}, 'cleanroom_dp_synthesize'));
    await expect(answering).rejects.toMatchObject({ code: 'routing_mode_unavailable' });
    expect(inference.ledger.calls).toEqual([]);
  });
});

describe('the strategies of areas', () => {
  it.each([
    [llama.id, 'auto', null],
    [llama.id, 'rig_one', null],
    [llama.id, 'knot_reading', 'readings'],
    ['acme/none', 'cord_reading', 'readings'],
    [llama.id, 'network', 'networks'],
    ['nets/one', 'network', 'networks'],
    ['nets/one', 'auto', 'networks'],
    ['acme/none', 'auto', null],
  ] as const)('answer by mode, or by a model of their own: %s, %s', (model, mode, expected) => {
    const { strategies, ...all } = open(READINGS, NETWORKS);
    const found = strategies.of(orderOf({ model }, mode));
    expect(found).toBe(expected === null ? undefined : all[expected]);
  });

  it('reject a model that neither they nor the catalog have', () => {
    const { strategies } = open(NETWORKS);
    expect(() => strategies.of(orderOf({ model: 'acme/none' }, 'network'))).toThrow(
      expect.objectContaining({
        code: 'model_not_found',
        detail: expect.stringContaining('nets/one'),
      }),
    );
  });

  it('read a clean room where they declare it, need it there, and refuse it elsewhere', () => {
    const order = orderOf({ cleanroom_uuid: REQUEST_ID }, 'knot_reading');
    const { strategies, readings } = open({ ...READINGS, readsCleanroom: true });
    expect(strategies.of(order)).toBe(readings);
    expect(() => strategies.of(orderOf({}, 'knot_reading'))).toThrow(
      'cleanroom_uuid: expected the clean room of the routing_mode',
    );
    expect(() => open(READINGS).strategies.of(order)).toThrow(
      'cleanroom_uuid: expected a routing_mode of clean rooms with it',
    );
  });

  it('share no mode', () => {
    expect(() => open(READINGS, { ...NETWORKS, modes: ['cord_reading'] })).toThrow(
      'two chat strategies answer the mode cord_reading',
    );
  });
});
