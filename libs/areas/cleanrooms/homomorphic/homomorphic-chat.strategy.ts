import { Injectable } from '@nestjs/common';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import {
  type TextAnswer,
  TextChatStrategy,
  type TextEnd,
} from '#platform/chats/text-chat.strategy.js';
import { type EvaluatedChat, HomomorphicChats } from './homomorphic-chats.js';
import { SIGMOID, SIGMOID_BOUND, SIGMOID_ERROR_MAX } from './homomorphic.engine.js';

/** The routing mode of chats that are ciphertexts. */
export const HOMOMORPHIC_MODE = 'cleanroom_fhe_eval';
const ENGINE = 'embedded:node-seal@7.0.0';

/** Chats whose messages are ciphertexts; the content of the answer is a ciphertext in base64. */
@Injectable()
export class HomomorphicChatStrategy extends TextChatStrategy<EvaluatedChat> {
  constructor(private readonly chats: HomomorphicChats) {
    super();
  }

  protected override async begin(
    order: ChatOrder,
    signal: AbortSignal,
  ): Promise<TextAnswer<EvaluatedChat>> {
    const end = await this.chats.evaluate(order, signal);
    return {
      rig: null,
      attempts: [],
      ...(end.pace && { pace: end.pace }),
      texts: textsOf(end),
    };
  }

  /** Bytes: ciphertexts have no tokens, and are not charged by them. */
  protected override endOf({ asked, evaluated, entry }: EvaluatedChat): TextEnd {
    const { ciphertexts } = asked.evaluation;
    const usage = {
      promptTokens: ciphertexts.reduce((sum, { length }) => sum + length, 0),
      completionTokens: evaluated.ciphertext.length,
      source: 'counted',
    } as const;
    const fields = { fhe: reportOf(asked.evaluation, evaluated) };
    return { usage, entry, cut: null, finishReason: 'stop', fields };
  }
}

const reportOf = (
  { operation }: EvaluatedChat['asked']['evaluation'],
  evaluated: EvaluatedChat['evaluated'],
) => {
  const isScoring = operation === 'linear' || operation === 'logistic';
  return {
    engine: ENGINE,
    operation,
    encrypted_operands: ['messages'],
    plain_operands: isScoring ? ['fhe.weights', 'fhe.bias'] : [],
    multiplications: evaluated.multiplications,
    rotations: evaluated.rotations,
    additions: evaluated.additions,
    levels_left: evaluated.levelsLeft,
    scale_bits: evaluated.scaleBits,
    noise_budget: null,
    evaluation_ms: evaluated.elapsedMs,
    approximation:
      operation === 'logistic'
        ? { ...SIGMOID, bound: SIGMOID_BOUND, error_max: SIGMOID_ERROR_MAX }
        : null,
  };
};

async function* textsOf(end: EvaluatedChat): AsyncGenerator<string, EvaluatedChat, void> {
  yield await Promise.resolve(Buffer.from(end.evaluated.ciphertext).toString('base64'));
  return end;
}
