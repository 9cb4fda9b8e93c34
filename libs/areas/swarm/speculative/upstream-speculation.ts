import { type SpeculationSource, type SpeculativeCounts } from '#events/swarm/swarm.evidence.js';
import { type JsonObject, type SpeculationCounters } from '../swarm-models.port.js';

export interface UpstreamSpeculation {
  readonly counts: SpeculativeCounts;
  readonly source: SpeculationSource;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

/** `metrics.speculative_decoding` of an answer or of the last chunk of a stream, as vLLM has it. */
export const statedSpeculation = ({ metrics }: JsonObject): UpstreamSpeculation | null => {
  const stated = isObject(metrics) ? metrics['speculative_decoding'] : undefined;
  if (!isObject(stated)) return null;
  const {
    num_draft_tokens: draftTokens,
    num_accepted_draft_tokens: acceptedTokens,
    num_spec_steps: steps,
  } = stated;
  if (!isCount(draftTokens) || !isCount(acceptedTokens) || acceptedTokens > draftTokens) {
    return null;
  }
  const targetCalls = isCount(steps) ? steps : null;
  return { counts: countsOf(draftTokens, acceptedTokens, targetCalls), source: 'upstream_request' };
};

/**
 * The difference of the counters of an upstream: of everything that it has decoded meanwhile.
 * Null where nothing was drafted, or the counters went back, as after a restart.
 */
export const differenceOf = (
  before: SpeculationCounters | null,
  after: SpeculationCounters | null,
): UpstreamSpeculation | null => {
  if (!before || !after) return null;
  const draftTokens = after.draftTokens - before.draftTokens;
  const acceptedTokens = after.acceptedTokens - before.acceptedTokens;
  const drafts = after.drafts - before.drafts;
  if (draftTokens <= 0 || acceptedTokens < 0 || acceptedTokens > draftTokens || drafts < 0) {
    return null;
  }
  return { counts: countsOf(draftTokens, acceptedTokens, drafts), source: 'upstream_counters' };
};

/** Each evaluation adds a token to those accepted, as plain decoding would with one more. */
const countsOf = (
  draftTokens: number,
  acceptedTokens: number,
  targetCalls: number | null,
): SpeculativeCounts => ({
  draftTokens,
  acceptedTokens,
  targetCalls,
  plainCalls: targetCalls === null ? null : targetCalls + acceptedTokens,
});

const COUNTER =
  /^vllm:spec_decode_num_(drafts|draft_tokens|accepted_tokens)_total(?:\{.*\})?\s+(\S+)/;

/** The counters in the text of Prometheus, summed over labels; null where one is missing. */
export const countersIn = (exposition: string): SpeculationCounters | null => {
  const sums = new Map<string, number>();
  for (const line of exposition.split('\n')) {
    const [, name, value] = COUNTER.exec(line) ?? [];
    if (name === undefined) continue;
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
  }
  const drafts = sums.get('drafts');
  const draftTokens = sums.get('draft_tokens');
  const acceptedTokens = sums.get('accepted_tokens');
  const found = [drafts, draftTokens, acceptedTokens];
  if (drafts === undefined || draftTokens === undefined || acceptedTokens === undefined)
    return null;
  return found.every((sum) => Number.isSafeInteger(sum))
    ? { drafts, draftTokens, acceptedTokens }
    : null;
};
