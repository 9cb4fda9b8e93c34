import { describe, expect, it } from '@jest/globals';
import { countersIn, differenceOf, statedSpeculation } from './upstream-speculation.js';

/** As vLLM 0.9 exposes them, with two engines. */
const EXPOSITION = `# HELP vllm:spec_decode_num_drafts_total Number of spec decoding drafts.
# TYPE vllm:spec_decode_num_drafts_total counter
vllm:spec_decode_num_drafts_total{engine="0",model_name="llama"} 100.0
vllm:spec_decode_num_drafts_total{engine="1",model_name="llama"} 20.0
vllm:spec_decode_num_drafts_created{engine="0",model_name="llama"} 1.7e+09
vllm:spec_decode_num_draft_tokens_total{engine="0",model_name="llama"} 5e+02
vllm:spec_decode_num_draft_tokens_total{engine="1",model_name="llama"} 100.0
vllm:spec_decode_num_accepted_tokens_total{engine="0",model_name="llama"} 300.0
vllm:spec_decode_num_accepted_tokens_total{engine="1",model_name="llama"} 61.0
vllm:spec_decode_num_accepted_tokens_per_pos_total{engine="0",position="0"} 90.0
`;

describe('what an upstream says of its speculation', () => {
  it('is read from the metrics of an answer', () => {
    const stated = {
      num_draft_tokens: 40,
      num_accepted_draft_tokens: 25,
      num_spec_steps: 8,
      mean_acceptance_length: 4.125,
      draft_acceptance_rate: 0.625,
    };
    expect(statedSpeculation({ metrics: { speculative_decoding: stated } })).toEqual({
      counts: { draftTokens: 40, acceptedTokens: 25, targetCalls: 8, plainCalls: 33 },
      source: 'upstream_request',
    });
  });

  it.each([
    [{}],
    [{ metrics: null }],
    [{ metrics: { speculative_decoding: null } }],
    [{ metrics: { speculative_decoding: { num_draft_tokens: 4 } } }],
    [{ metrics: { speculative_decoding: { num_draft_tokens: 1, num_accepted_draft_tokens: 2 } } }],
    [
      {
        metrics: { speculative_decoding: { num_draft_tokens: -1, num_accepted_draft_tokens: -1 } },
      },
    ],
  ])('is nothing where %p makes no sense', (answer) => {
    expect(statedSpeculation(answer)).toBeNull();
  });

  it('is summed over the engines of its counters', () => {
    expect(countersIn(EXPOSITION)).toEqual({ drafts: 120, draftTokens: 600, acceptedTokens: 361 });
    expect(countersIn('vllm:num_requests_running 1.0')).toBeNull();
    expect(countersIn(EXPOSITION.replaceAll('300.0', 'NaN'))).toBeNull();
  });

  it('is the difference of its counters', () => {
    const before = { drafts: 100, draftTokens: 500, acceptedTokens: 300 };
    const after = { drafts: 104, draftTokens: 520, acceptedTokens: 312 };
    expect(differenceOf(before, after)).toEqual({
      counts: { draftTokens: 20, acceptedTokens: 12, targetCalls: 4, plainCalls: 16 },
      source: 'upstream_counters',
    });
    for (const [one, other] of [
      [null, after],
      [before, null],
      [before, before],
      [after, before],
    ] as const) {
      expect(differenceOf(one, other)).toBeNull();
    }
  });
});
