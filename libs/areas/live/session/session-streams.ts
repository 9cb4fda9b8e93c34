import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type LiveEvent, liveEvents } from '#events/live/live.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { reject } from '../live.errors.js';
import {
  type LiveCommand,
  liveDecider,
  type LiveSessionRecord,
  type LiveState,
} from './session.decider.js';

const TOKEN = /^live_[A-Za-z0-9_-]{43}$/;
const NAMESPACE = '5b0d6f2e-6c0e-4a57-9d2b-2f6f2c2a7c11';

/** The token names the session: no log and no read model has it. Undefined for no token. */
export const sessionIdOf = (token: string): string | undefined =>
  TOKEN.test(token) ? derivedId(hash('sha256', token), NAMESPACE) : undefined;

const streamOf = (sessionId: string): string => `live-${sessionId}`;

/** The sessions as events. */
@Injectable()
export class SessionStreams {
  readonly #runner: CommandRunner<LiveCommand, LiveState, LiveEvent>;

  constructor(@Inject(EVENT_STORE) eventStore: EventStore, @Inject(CODEC) codec: EventCodec) {
    const decider = liveDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(liveEvents) });
  }

  /** @throws DomainError */
  async run(
    sessionId: string,
    command: LiveCommand,
    context: CommandContext,
  ): Promise<LiveSessionRecord> {
    const { state } = await this.#runner.run(streamOf(sessionId), command, context);
    return state ?? reject('live_session_not_found', 'session_token: there is no such session');
  }

  /** Null before the first event. */
  async stateOf(sessionId: string): Promise<LiveState> {
    return (await this.#runner.stateOf(streamOf(sessionId))).state;
  }
}
