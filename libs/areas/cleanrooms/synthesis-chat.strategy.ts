import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type ChatBody, type ChatOrder } from '#platform/chats/chat-order.js';
import {
  always,
  equals,
  fieldsBeside,
  HONOURED_BY_ALL,
  type HonouredFields,
} from '#platform/chats/honoured-fields.js';
import { fieldsOf } from '#platform/chats/read-answer.js';
import {
  type TextAnswer,
  TextChatStrategy,
  type TextEnd,
} from '#platform/chats/text-chat.strategy.js';
import { fractionOf, rational } from '#platform/kernel/rational.js';
import { rejectedField } from '#platform/runtime/commands/rejected-request.js';
import { type RoomRecord } from '#projections/cleanrooms/cleanrooms.projection.js';
import { type AnsweredQuestion, AskRoomCommand } from './ask-room.handler.js';
import { type AskedQuery } from './room-query.js';
import { promptOf, type SynthesisPrompt } from './synthesis-prompt.js';
import { checkQuestion } from './synthesis-question.js';
import { statementOf } from './synthesis-statement.js';

export const SYNTHESIS_MODE = 'cleanroom_dp_synthesize';

/** A chat that names no amount spends this part of the limit of the room. */
const DEFAULT_PART = rational(1n, 10n);

const HONOURED: HonouredFields = {
  ...HONOURED_BY_ALL,
  routing_mode: always,
  cleanroom_uuid: always,
  timesteps: always,
  n: equals(1),
};

interface SynthesisEnd {
  readonly answered: AnsweredQuestion;
  readonly prompt: string;
  readonly text: string;
}

/** Answers chats from a synthetic table of a clean room, which the analyst pays for once. */
@Injectable()
export class SynthesisChatStrategy extends TextChatStrategy<SynthesisEnd> {
  constructor(private readonly commands: CommandBus) {
    super();
  }

  protected override async begin(
    order: ChatOrder,
    signal: AbortSignal,
  ): Promise<TextAnswer<SynthesisEnd>> {
    const { body, others: _others, ...request } = order;
    const prompt = promptOf(body);
    const question = {
      ...request,
      cleanroomId: roomIdOf(body),
      asked: (room: RoomRecord) => askedOf(room, prompt),
    };
    const answered = await this.commands.execute(new AskRoomCommand(question, signal));
    const end = { answered, prompt: prompt.text, text: statementOf(answered, prompt.question) };
    return { rig: null, attempts: [], ...answered.pace, texts: textOf(end) };
  }

  /** Bytes of UTF-8: no model writes, and no token is charged. */
  protected override endOf({ answered, prompt, text }: SynthesisEnd): TextEnd {
    const { entry, spent, isNew, budget } = answered;
    const usage = {
      promptTokens: Buffer.byteLength(prompt),
      completionTokens: Buffer.byteLength(text),
      source: 'counted',
    } as const;
    const cleanroom = {
      cleanroom_uuid: spent.cleanroomId,
      is_new: isNew,
      spend_id: spent.spendId,
      mechanism: spent.mechanism,
      epsilon: spent.epsilon,
      delta: spent.delta,
      cost: spent.cost,
      privacy_budget_remaining_epsilon: budget.remaining / 1e6,
    };
    return { usage, entry, cut: null, finishReason: 'stop', fields: { cleanroom } };
  }
}

async function* textOf(end: SynthesisEnd): AsyncGenerator<string, SynthesisEnd, void> {
  yield await Promise.resolve(end.text);
  return end;
}

/** @throws RejectedRequestError for a field that would be ignored, and without a room */
const roomIdOf = (body: ChatBody): string => {
  const [ignored] = fieldsBeside(HONOURED, fieldsOf(body));
  if (ignored !== undefined) throw rejectedField(ignored, `not available with ${SYNTHESIS_MODE}`);
  const { cleanroom_uuid: cleanroomId } = body;
  if (cleanroomId != null) return cleanroomId;
  throw rejectedField('cleanroom_uuid', `expected a clean room with ${SYNTHESIS_MODE}`);
};

/** A room of the rule `zcdp` spends rho, by Gaussian noise. */
const askedOf = (
  room: RoomRecord,
  { rows, epsilon, rho, question }: SynthesisPrompt,
): AskedQuery => {
  if (question && room.schema) checkQuestion(question, room.schema);
  const table = { aggregate: 'synthesize', groupBy: [], where: [], rows } as const;
  if (epsilon !== undefined || rho !== undefined) return { ...table, epsilon, rho };
  const amount = decimalBelow(room.limit);
  return room.rule === 'pure' ? { ...table, epsilon: amount } : { ...table, rho: amount };
};

const DECIMALS = 1_000_000_000n;

/** The default part of a limit, in nine decimals. */
const decimalBelow = (limit: string): string => {
  const steps = fractionOf(limit).times(DEFAULT_PART).times(rational(DECIMALS)).floor();
  return steps.over(rational(DECIMALS)).toDecimal().text;
};
