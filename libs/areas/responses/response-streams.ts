import { Inject, Injectable } from '@nestjs/common';
import {
  type ResponseEvent,
  responseEvents,
  ResponseId,
} from '#events/responses/response.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { type CommandOutcome, CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { StreamFollower } from '#platform/runtime/subscriptions/stream-follower.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { RESPONSE_PREFIX } from './response-id.js';
import { type ResponseCommand, responseDecider, type ResponseState } from './response.decider.js';

/** Runs the commands of every response. */
@Injectable()
export class ResponseStreams {
  readonly #runner: CommandRunner<ResponseCommand, ResponseState, ResponseEvent>;
  readonly #follower: StreamFollower<ResponseEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = responseDecider;
    const ofResponses = codec.for(responseEvents);
    this.#runner = new CommandRunner({ decider, eventStore, codec: ofResponses });
    this.#follower = new StreamFollower(eventStore, ofResponses);
  }

  /** @throws DomainError `response_not_found`, `response_unfinished` */
  run(
    command: ResponseCommand,
    context: CommandContext,
  ): Promise<CommandOutcome<ResponseState, ResponseEvent>> {
    return this.#runner.run(streamOf(command.data.responseId), command, context);
  }

  /** As the log has it now; absent for a text that is not the id of a response. */
  async stateOf(responseId: string): Promise<ResponseState> {
    if (!ResponseId.safeParse(responseId).success) return { status: 'absent' };
    return (await this.#runner.stateOf(streamOf(responseId))).state;
  }

  /** Waits until a response in the background has ended, or the signal aborts. */
  async untilEnded(responseId: string, signal: AbortSignal): Promise<void> {
    const stream = streamOf(responseId);
    const isLast = ({ type }: ResponseEvent): boolean => type === 'ResponseStored';
    const events = this.#follower.history({ stream, after: null, isOver: false, isLast });
    for await (const { event } of events.follow(signal)) {
      if (isLast(event)) return;
    }
  }
}

/** The part of a stream's name before the dash is its category. */
const streamOf = (responseId: string): string =>
  `response-${responseId.slice(RESPONSE_PREFIX.length)}`;
