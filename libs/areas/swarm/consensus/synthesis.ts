import { type SwarmMessage } from '../chat-asked.js';
import { reject } from '../swarm.errors.js';

/** Bytes of a proposal that the aggregator reads, for each token that a member may write. */
export const PROPOSAL_BYTES_PER_TOKEN = 6;

const INSTRUCTION =
  'Several models have answered the last message of this conversation. Read their answers ' +
  'critically, since some may be wrong, and write one answer that is better than each of them. ' +
  'Do not mention them. Their answers:';
/** The most bytes around a proposal. */
const BYTES_PER_PROPOSAL = 16;
/** Tokens that a chat template adds. */
const TEMPLATE_TOKENS = 64;
/** An estimate of tokens may be this much too low. */
const ESTIMATE_MARGIN = 1.15;

export interface Proposal {
  readonly text: string;
  readonly completionTokens: number;
}

/** An upper bound of the bytes that a synthesis adds to the messages. */
export const addedBytesMax = (proposals: number, proposalTokensMax: number): number =>
  Buffer.byteLength(INSTRUCTION) +
  proposals * (BYTES_PER_PROPOSAL + proposalTokensMax * PROPOSAL_BYTES_PER_TOKEN);

/** The conversation with the proposals, in its first system message. */
export const synthesisMessages = (
  messages: readonly SwarmMessage[],
  texts: readonly string[],
): readonly SwarmMessage[] => {
  const listed = texts.map((text, index) => `\n\n${index + 1}. ${text}`).join('');
  const [first, ...rest] = messages;
  const content = INSTRUCTION + listed;
  return first?.role === 'system'
    ? [{ role: 'system', content: `${first.content}\n\n${content}` }, ...rest]
    : [{ role: 'system', content }, ...messages];
};

export interface SynthesisRoom {
  readonly contextTokens: number;
  /** Of the synthesis. */
  readonly outputTokens: number;
  /** The most that a member has counted for the messages. */
  readonly promptTokens: number;
  /** The most that one member may write. */
  readonly proposalTokensMax: number;
}

/**
 * Cuts all proposals by the same part where they do not fit, by the tokens that their members have
 * counted.
 * @throws DomainError `swarm_context_exceeded` where not even the messages fit
 */
export const fittingTexts = (
  proposals: readonly Proposal[],
  { contextTokens, outputTokens, promptTokens, proposalTokensMax }: SynthesisRoom,
): readonly string[] => {
  const bytesMax = proposalTokensMax * PROPOSAL_BYTES_PER_TOKEN;
  const texts = proposals.map(({ text }) => cutToBytes(text, bytesMax));
  const bytes = sumOf(texts.map((text) => Buffer.byteLength(text)));
  const tokensPerByte =
    sumOf(proposals.map(({ completionTokens }) => completionTokens)) /
    Math.max(1, sumOf(proposals.map(({ text }) => Buffer.byteLength(text))));
  const around = Buffer.byteLength(INSTRUCTION) + proposals.length * BYTES_PER_PROPOSAL;
  const taken = promptTokens + outputTokens + TEMPLATE_TOKENS;
  const room = (contextTokens - taken) / ESTIMATE_MARGIN - around * tokensPerByte;
  if (room <= 0) {
    return reject(
      'swarm_context_exceeded',
      `the messages and an answer of ${outputTokens} tokens leave no room for proposals in the ` +
        `${contextTokens} tokens of the synthesis model; send a smaller max_tokens`,
    );
  }
  const part = Math.min(1, room / (bytes * tokensPerByte));
  return part === 1
    ? texts
    : texts.map((text) => cutToBytes(text, Math.floor(Buffer.byteLength(text) * part)));
};

/** Of whole characters. */
const cutToBytes = (text: string, bytesMax: number): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  return new TextDecoder().decode(bytes.subarray(0, bytesMax), { stream: true });
};

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);
