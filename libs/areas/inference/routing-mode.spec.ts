import { describe, expect, it } from '@jest/globals';
import { isRoutingMode, pinnedRig, RIG_NAME_LENGTH_MAX, ROUTING_MODES } from './routing-mode.js';

const strategies = ROUTING_MODES.filter((mode) => mode !== 'auto');

describe('routing modes', () => {
  it('are the 29 that were promised', () => {
    expect(new Set(ROUTING_MODES).size).toBe(29);
  });

  it.each([...ROUTING_MODES, 'rig_7', 'rig_local-vllm', `rig_${'x'.repeat(RIG_NAME_LENGTH_MAX)}`])(
    'know %s',
    (mode) => {
      expect(isRoutingMode(mode)).toBe(true);
    },
  );

  it.each(['', 'Auto', 'rig_', 'rig', 'toString', `rig_${'x'.repeat(RIG_NAME_LENGTH_MAX + 1)}`])(
    'do not know %p',
    (mode) => {
      expect(isRoutingMode(mode)).toBe(false);
    },
  );

  it('leave the choice of a rig open, or pin it', () => {
    expect(pinnedRig('auto')).toBeUndefined();
    expect(pinnedRig('rig_local-vllm')).toBe('local-vllm');
    expect(pinnedRig('rig_rig_1')).toBe('rig_1');
  });

  it.each(strategies)('reject %s by name while its engine is not there', (mode) => {
    expect(() => pinnedRig(mode)).toThrow(
      expect.objectContaining({
        code: 'routing_mode_unavailable',
        detail: expect.stringContaining(mode),
      }),
    );
  });
});
