import { describe, expect, it } from '@jest/globals';
import { tinyConfig } from '../adapter.fixture.js';
import { RANK_MAX, readPeftConfig } from './peft-config.js';

const read = (change: object) => readPeftConfig(JSON.stringify({ ...tinyConfig, ...change }));

describe('the configuration of an adapter', () => {
  it('gives the rank, alpha and the projections', () => {
    expect(read({ task_type: 'CAUSAL_LM', lora_dropout: 0.1 })).toEqual({
      rank: 2,
      alpha: 4,
      targets: ['q_proj', 'k_proj', 'up_proj'],
    });
    expect(read({ r: RANK_MAX }).rank).toBe(RANK_MAX);
  });

  it.each([
    ['peft_type', { peft_type: 'IA3' }],
    ['r', { r: 0 }],
    ['r', { r: RANK_MAX + 1 }],
    ['r', { r: 1.5 }],
    ['lora_alpha', { lora_alpha: -1 }],
    ['target_modules', { target_modules: ['lm_head'] }],
    ['target_modules', { target_modules: [] }],
    ['target_modules', { target_modules: 'all-linear' }],
    ['bias', { bias: 'all' }],
    ['use_rslora', { use_rslora: true }],
    ['use_dora', { use_dora: true }],
    ['fan_in_fan_out', { fan_in_fan_out: true }],
    ['modules_to_save', { modules_to_save: ['lm_head'] }],
    ['rank_pattern', { rank_pattern: { q_proj: 8 } }],
    ['alpha_pattern', { alpha_pattern: { q_proj: 8 } }],
  ])('is refused where %s is %p', (field, change) => {
    expect(() => read(change)).toThrow(`adapter_config.json: ${field}: `);
  });

  it('is refused where it is not JSON', () => {
    expect(() => readPeftConfig('{')).toThrow('adapter_config.json: is not JSON');
  });
});
