import { Module } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { Areas, defineArea } from '#platform/runtime/areas/area.js';
import { question, REQUEST_ID } from '#platform/chats/chat-order.fixture.js';
import { AUTO, RIG_NAME_LENGTH_MAX, RoutingModes, routingModesOf } from './routing-modes.js';

@Module({})
class EmptyModule {}

const strategies = defineArea({
  name: 'knots',
  module: EmptyModule,
  chatStrategies: [
    { modes: ['knot_reading', 'cleanroom_fhe_eval'], strategy: EmptyModule as never },
  ],
});
const areas = new Areas([strategies]);
const modes = new RoutingModes(areas);

describe('routing modes', () => {
  it('are the mode of rigs, declared modes and reserved modes, each once', () => {
    expect(routingModesOf(areas)).toEqual([
      AUTO,
      'knot_reading',
      'cleanroom_fhe_eval',
      'cleanroom_enclave_infer',
      'cleanroom_dp_synthesize',
    ]);
  });

  it('leave the choice of a rig open, or pin it', () => {
    expect(modes.pinnedRig(question, AUTO)).toBeUndefined();
    expect(modes.pinnedRig(question, 'rig_local-vllm')).toBe('local-vllm');
    expect(modes.pinnedRig(question, 'rig_rig_1')).toBe('rig_1');
    const longest = 'x'.repeat(RIG_NAME_LENGTH_MAX);
    expect(modes.pinnedRig(question, `rig_${longest}`)).toBe(longest);
  });

  it.each(['knot_reading', 'cleanroom_enclave_infer'])('has no rig for %s', (mode) => {
    expect(() => modes.pinnedRig(question, mode)).toThrow(
      expect.objectContaining({
        code: 'routing_mode_unavailable',
        detail: expect.stringContaining(mode),
      }),
    );
  });

  it.each(['', 'Auto', 'rig_', 'rig', 'toString', `rig_${'x'.repeat(RIG_NAME_LENGTH_MAX + 1)}`])(
    'rejects %p, and lists the known modes',
    (mode) => {
      expect(() => modes.pinnedRig(question, mode)).toThrow(
        expect.objectContaining({
          failure: expect.objectContaining({
            status: 400,
            param: 'routing_mode',
            message: expect.stringContaining('auto, knot_reading'),
          }),
        }),
      );
    },
  );

  it.each([AUTO, 'rig_1', 'fastest'])('refuse a clean room in the mode %s', (mode) => {
    expect(() => modes.pinnedRig({ ...question, cleanroom_uuid: REQUEST_ID }, mode)).toThrow(
      expect.objectContaining({
        failure: expect.objectContaining({ status: 400, param: 'cleanroom_uuid' }),
      }),
    );
  });
});
