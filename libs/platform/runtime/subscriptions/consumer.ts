import { type ICommand } from '@nestjs/cqrs';
import { type Logger } from 'pino';
import { type z } from 'zod';
import { type Bus, type Consumer, type Delivery } from '#platform/bus/bus.port.js';
import { consumeWhenReachable } from '#platform/bus/consume-when-reachable.js';
import { type CommandContext, followUp } from '../commands/command-context.js';

/** How a broker keeps a topic of an area; an absent field has the default. */
export interface TopicDeclaration {
  /** A letter, then up to 127 of `a-z 0-9 - .`. */
  readonly topic: string;
  /** The maximum number of members of a group that work at the same time. */
  readonly partitions?: number;
  readonly retentionMs?: number;
  readonly deadLetterRetentionMs?: number;
}

/**
 * Messages that an area takes from the bus, each turned into a command. A message may come twice:
 * the ids of its events derive from the message's id, so the second lands on the first.
 */
export interface ConsumerDeclaration<Message> {
  readonly topic: string;
  /** Members of one group share the messages. */
  readonly group: string;
  /** A message that does not fit becomes a dead letter, with the reason. */
  readonly schema: z.ZodType<Message>;
  /** How often a command that fails is tried, 1 to 100; default 5. */
  readonly attemptsMax?: number;
  /** Pure. Null for a message that leads to nothing. */
  readonly toCommand: (message: Message, context: CommandContext) => ICommand | null;
}

/** A list of unlike consumers. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- `toCommand` takes its own message
export type AnyConsumer = ConsumerDeclaration<any>;

/** Ties `toCommand` to the output of the schema. */
export const defineConsumer = <Message>(
  consumer: ConsumerDeclaration<Message>,
): ConsumerDeclaration<Message> => consumer;

/**
 * Consumes the topics of all areas and sends the commands, until it is stopped. A topic is joined
 * as soon as the broker answers.
 */
export class Consumers {
  #running: readonly Promise<Consumer>[] = [];
  #stopping = new AbortController();

  constructor(
    private readonly declared: readonly AnyConsumer[],
    private readonly bus: Pick<Bus, 'consume'>,
    private readonly send: (command: ICommand) => Promise<unknown>,
    private readonly logger: Pick<Logger, 'error'>,
  ) {}

  start(): void {
    this.#stopping = new AbortController();
    this.#running = this.declared.map((consumer) => this.#join(consumer));
    for (const joining of this.#running) {
      joining.catch((error: unknown) => {
        if (!this.#stopping.signal.aborted)
          this.logger.error({ err: error }, 'a topic has no consumer');
      });
    }
  }

  /** Takes no further message; resolves when those under way are handled. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const joined = await Promise.allSettled(this.#running);
    this.#running = [];
    const consumers = joined.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    await Promise.all(consumers.map((consumer) => consumer.close()));
  }

  #join(consumer: AnyConsumer): Promise<Consumer> {
    const { topic, group, attemptsMax } = consumer;
    const options = {
      topic,
      group,
      ...(attemptsMax !== undefined && { attemptsMax }),
      handle: (delivery: Delivery) => this.#handle(consumer, delivery),
    };
    return consumeWhenReachable(this.bus, options, this.#stopping.signal);
  }

  async #handle(
    { topic, group, schema, toCommand }: AnyConsumer,
    { id, data }: Delivery,
  ): Promise<void> {
    const message: unknown = schema.parse(data);
    const context = followUp({ id, correlationId: id }, `${topic}\n${group}`, `bus:${topic}`);
    const command = toCommand(message, context);
    if (command) await this.send(command);
  }
}
