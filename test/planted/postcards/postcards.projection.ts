import { type Projection } from '#platform/kernel/projection.js';
import {
  PostcardAnswered,
  PostcardDelivered,
  type PostcardEvent,
  PostcardWritten,
} from './postcard.events.js';

export interface ListedPostcard {
  readonly accountId: string;
  readonly status: 'written' | 'delivered' | 'answered';
  /** Null until the engine has counted them. */
  readonly words: number | null;
  readonly reply: string | null;
}

const project = ({ type, data }: PostcardEvent, postcard: ListedPostcard): ListedPostcard => {
  switch (type) {
    case 'PostcardWritten':
      return { ...postcard, accountId: data.accountId };
    case 'PostcardDelivered':
      return { ...postcard, status: 'delivered', words: data.words };
    case 'PostcardAnswered':
      return { ...postcard, status: 'answered', reply: data.reply };
  }
};

/** All postcards by id. */
export const postcards: Projection<PostcardEvent, ListedPostcard> = {
  name: 'postcards',
  version: 1,
  on: { PostcardWritten, PostcardDelivered, PostcardAnswered },
  keys: ({ data }) => [data.postcardId],
  initial: () => ({ accountId: '', status: 'written', words: null, reply: null }),
  project,
};
