import { Inject, Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Clock } from '#platform/kernel/clock.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { InferSpikesCommand, type SpikingAnswer } from './infer-spikes.handler.js';
import { inputDataOf } from './input-data.js';
import { isPriced } from './operation-lines.js';
import { isSpikingMode } from './spiking.modes.js';
import { SpikingModels, type StoredCard } from './spiking-models.js';
import { statementOf } from './statement.js';

/** A chat that names a spiking network, by its model or by its routing mode. */
export interface SpikingChatOrder {
  readonly accountId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAtMs: number;
  readonly model: string;
  readonly routingMode: string;
  /** What the network reads. */
  readonly prompt: string;
  readonly timesteps: number;
  readonly context: CommandContext;
  readonly confirm?: () => Promise<boolean>;
}

export interface SpikingChatAnswer {
  readonly answer: SpikingAnswer;
  /** The continuation of a language model; what another network has classified and measured. */
  readonly text: string;
  /** UTF-8 bytes: networks read bytes, and have no tokens. */
  readonly promptBytes: number;
  readonly textBytes: number;
}

/** Chats as runs of spiking networks. */
@Injectable()
export class SpikingChats {
  constructor(
    private readonly models: SpikingModels,
    private readonly commands: CommandBus,
    private readonly prices: MeterPrices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Whether a network answers such a chat. Without a promise: every chat asks. */
  serves(model: string, routingMode: string): boolean {
    if (isSpikingMode(routingMode)) return true;
    return routingMode === 'auto' && this.models.find(model) !== undefined;
  }

  /** Of every network of this installation. */
  get slugs(): readonly string[] {
    return this.models.list.map(({ slug }) => slug);
  }

  /** The networks that answer chats now: none where the rate card has no price for them. */
  get listed(): readonly StoredCard[] {
    return isPriced(this.prices.inForce(this.clock.now())) ? this.models.list : [];
  }

  /** @throws as `InferSpikesHandler` does */
  async answer(order: SpikingChatOrder, signal: AbortSignal): Promise<SpikingChatAnswer> {
    const { prompt, model, ...rest } = order;
    const run = new InferSpikesCommand(
      {
        ...rest,
        // The mode decides where the model is another one of the catalog.
        model: this.slugs.includes(model) ? model : null,
        input: inputDataOf(prompt, 'messages'),
        neuron: null,
        raster: false,
        session: null,
      },
      signal,
    );
    const answer = await this.commands.execute(run);
    const text = statementOf(answer);
    return {
      answer,
      text,
      promptBytes: Buffer.byteLength(prompt),
      textBytes: Buffer.byteLength(text),
    };
  }
}
