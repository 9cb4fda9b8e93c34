import { type Decider } from '#platform/kernel/decider.js';
import {
  PostcardAnswered,
  PostcardDelivered,
  type PostcardEvent,
  PostcardWritten,
} from './postcard.events.js';
import { reject } from './postcards.errors.js';

export type PostcardCommand =
  | { readonly type: 'WritePostcard'; readonly data: PostcardWritten['data'] }
  | { readonly type: 'DeliverPostcard'; readonly data: PostcardDelivered['data'] }
  | { readonly type: 'AnswerPostcard'; readonly data: PostcardAnswered['data'] };

export interface PostcardState {
  readonly status: 'absent' | 'written' | 'delivered' | 'answered';
}

const decide = (
  { type, data }: PostcardCommand,
  { status }: PostcardState,
): readonly PostcardEvent[] => {
  if (type === 'WritePostcard') return status === 'absent' ? [PostcardWritten.of(data)] : [];
  if (status === 'absent') reject('postcard_not_found', `there is no postcard ${data.postcardId}`);
  switch (type) {
    case 'DeliverPostcard':
      return status === 'written' ? [PostcardDelivered.of(data)] : [];
    case 'AnswerPostcard':
      return status === 'answered' ? [] : [PostcardAnswered.of(data)];
  }
};

const evolve = (_: PostcardState, { type }: PostcardEvent): PostcardState => {
  switch (type) {
    case 'PostcardWritten':
      return { status: 'written' };
    case 'PostcardDelivered':
      return { status: 'delivered' };
    case 'PostcardAnswered':
      return { status: 'answered' };
  }
};

export const postcardDecider: Decider<PostcardCommand, PostcardState, PostcardEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
