import { Injectable } from '@nestjs/common';
import { IdentityStreams, nameStream } from '../identity.streams.js';
import { NameIndex } from '../names/name-index.js';
import { reject } from '../identity.errors.js';

/** Finds users by name in the log itself, for commands. */
@Injectable()
export class UserDirectory {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly names: NameIndex,
  ) {}

  /** @throws DomainError `user_not_found` */
  async idOf(username: string): Promise<number> {
    const stream = nameStream('username', this.names.hashOf('username', username));
    const { state } = await this.streams.names.stateOf(stream);
    return state.status === 'assigned'
      ? state.userId
      : reject('user_not_found', `there is no user ${username}`);
  }
}
