import { type Saga, type SagaAction } from '#platform/kernel/saga.js';
import { PostcardDelivered, PostcardWritten } from './postcard.events.js';

type DeliveryEvent = PostcardWritten | PostcardDelivered;

export type DeliveryCommand =
  | { readonly type: 'CountAndDeliver'; readonly data: PostcardWritten['data'] }
  | { readonly type: 'ChargePostcard'; readonly data: PostcardDelivered['data'] };

const react = (event: DeliveryEvent): readonly SagaAction<DeliveryCommand>[] => {
  switch (event.type) {
    case 'PostcardWritten':
      return [{ kind: 'command', command: { type: 'CountAndDeliver', data: event.data } }];
    case 'PostcardDelivered':
      return [{ kind: 'command', command: { type: 'ChargePostcard', data: event.data } }];
  }
};

/** A postcard that was written is delivered; one that was delivered is charged. */
export const deliverySaga: Saga<DeliveryEvent, object, DeliveryCommand> = {
  name: 'postcard-delivery',
  on: { PostcardWritten, PostcardDelivered },
  key: ({ data }) => data.postcardId,
  initialState: {},
  evolve: (state, { type }) => (type === 'PostcardDelivered' ? null : state),
  react,
};
