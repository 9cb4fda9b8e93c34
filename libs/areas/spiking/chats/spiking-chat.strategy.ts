import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type ChatOrder } from '#platform/chats/chat-order.js';
import {
  type TextAnswer,
  TextChatStrategy,
  type TextEnd,
} from '#platform/chats/text-chat.strategy.js';
import { InferSpikesCommand, type SpikingAnswer } from '../infer-spikes.handler.js';
import { inputDataOf } from '../input-data.js';
import { SpikingModels } from '../spiking-models.js';
import { statementOf } from '../statement.js';
import { promptOf } from './spiking-prompt.js';

interface SpikingChatEnd {
  readonly answer: SpikingAnswer;
  readonly prompt: string;
  readonly text: string;
}

/** Chats as runs of spiking networks. */
@Injectable()
export class SpikingChatStrategy extends TextChatStrategy<SpikingChatEnd> {
  constructor(
    private readonly networks: SpikingModels,
    private readonly commands: CommandBus,
  ) {
    super();
  }

  override get models(): readonly string[] {
    return this.networks.list.map(({ slug }) => slug);
  }

  /** A run has no pieces: its text is one, after the charge. */
  protected override async begin(
    order: ChatOrder,
    signal: AbortSignal,
  ): Promise<TextAnswer<SpikingChatEnd>> {
    const { body, others: _others, ...request } = order;
    const prompt = promptOf(body);
    const run = {
      ...request,
      // The mode decides where the model is one of the catalog.
      model: this.models.includes(body.model) ? body.model : null,
      input: inputDataOf(prompt, 'messages'),
      timesteps: timestepsOf(body),
      neuron: null,
      raster: false,
      session: null,
    };
    const answer = await this.commands.execute(new InferSpikesCommand(run, signal));
    const { card, run: ran, pace } = answer;
    return {
      rig: null,
      attempts: [],
      ...(pace && { pace }),
      // The network that answered, which a routing mode may have chosen.
      head: {
        model: card.slug,
        system_fingerprint: `spiking@${ran.weightsSha256.slice(0, 16)}`,
      },
      texts: textOf({ answer, prompt, text: statementOf(answer) }),
    };
  }

  /** Bytes of UTF-8: networks have no tokens, and are not charged by them. */
  protected override endOf({ answer: { entry }, prompt, text }: SpikingChatEnd): TextEnd {
    const usage = {
      promptTokens: Buffer.byteLength(prompt),
      completionTokens: Buffer.byteLength(text),
      source: 'counted',
    } as const;
    return { usage, entry, cut: null, finishReason: 'stop' };
  }
}

async function* textOf(end: SpikingChatEnd): AsyncGenerator<string, SpikingChatEnd, void> {
  yield await Promise.resolve(end.text);
  return end;
}

/** The schema of a chat gives every body its timesteps. */
const timestepsOf = ({ timesteps }: ChatOrder['body']): number => {
  if (typeof timesteps === 'number') return timesteps;
  throw new Error('a chat without timesteps');
};
