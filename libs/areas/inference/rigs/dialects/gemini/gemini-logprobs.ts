import { type JsonObject } from '../../chat-backend.js';
import { isObject } from '../../token-usage.js';

/** The `logprobsResult` of a candidate in OpenAI's shape; undefined where it has none. */
export const logprobsIn = ({ logprobsResult: stated }: JsonObject): JsonObject | undefined => {
  if (!isObject(stated)) return undefined;
  const tops = listIn(stated['topCandidates']).map((top) =>
    listIn(isObject(top) ? top['candidates'] : null),
  );
  const content = listIn(stated['chosenCandidates']).flatMap((chosen, n) => {
    const token = tokenOf(chosen);
    return token
      ? [{ ...token, top_logprobs: (tops[n] ?? []).flatMap((top) => tokenOf(top) ?? []) }]
      : [];
  });
  return { content, refusal: null };
};

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const tokenOf = (candidate: unknown): JsonObject | undefined => {
  const { token, logProbability: logprob } = isObject(candidate) ? candidate : {};
  if (typeof token !== 'string' || typeof logprob !== 'number') return undefined;
  return { token, logprob, bytes: [...Buffer.from(token)] };
};
