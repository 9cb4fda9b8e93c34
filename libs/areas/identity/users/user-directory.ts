import { Injectable } from '@nestjs/common';
import { type UserId } from '#events/vocabulary.js';
import { IdentityStreams, nameStream } from '../identity.streams.js';
import { NameIndex } from '../names/name-index.js';
import { reject } from '../identity.errors.js';

/** Finds users by name for commands: it reads the event log, not a read model. */
@Injectable()
export class UserDirectory {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly names: NameIndex,
  ) {}

  /** @throws DomainError `user_not_found` */
  async idOf(username: string): Promise<UserId> {
    const stream = nameStream('username', this.names.hashOf('username', username));
    const { state } = await this.streams.names.stateOf(stream);
    return state.status === 'assigned'
      ? state.userId
      : reject('user_not_found', `there is no user ${username}`);
  }
}
