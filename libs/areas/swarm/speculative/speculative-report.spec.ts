import { describe, expect, it } from '@jest/globals';
import { type SpeculativeReport, telemetryOf } from './speculative-report.js';

const REPORT: SpeculativeReport = {
  model: 'big',
  draftModel: 'small',
  generatorNode: 'one',
  verifierNode: 'one',
  counts: { draftTokens: 30, acceptedTokens: 20, targetCalls: 10, plainCalls: 30 },
  source: 'engine',
  speedup: 0.8333,
  comparedRequests: 2,
};

describe('the telemetry of a speculative answer', () => {
  it('leaves the bonus tokens out of the acceptance, and states a slowdown as it is', () => {
    expect(telemetryOf(REPORT)).toMatchObject({
      draft_tokens_generated: 30,
      tokens_accepted: 20,
      acceptance_rate_pct: 66.67,
      target_calls_saved: 20,
      speedup_ratio: '0.83x',
    });
  });

  it('is null where nothing was measured, and never a guess', () => {
    const nothing = { counts: null, source: null, speedup: null, comparedRequests: 0 };
    expect(telemetryOf({ ...REPORT, ...nothing })).toMatchObject({
      draft_tokens_generated: null,
      tokens_accepted: null,
      acceptance_rate_pct: null,
      target_calls_saved: null,
      speedup_ratio: null,
    });
    const counts = { draftTokens: 0, acceptedTokens: 0, targetCalls: 1, plainCalls: 1 };
    expect(telemetryOf({ ...REPORT, counts })).toMatchObject({
      draft_tokens_generated: 0,
      acceptance_rate_pct: null,
      target_calls_saved: 0,
    });
  });
});
