import {
  ResponseDeleted,
  type ResponseEvent,
  ResponseStored,
} from '#events/responses/response.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

interface OnResponse {
  readonly responseId: string;
}

export type ResponseContentCommand =
  | { readonly type: 'RetainResponse'; readonly data: OnResponse }
  | { readonly type: 'ReleaseResponse'; readonly data: OnResponse }
  | { readonly type: 'ExpireResponse'; readonly data: OnResponse };

const TIMER = 'expiry';

const react = ({ type, data }: ResponseEvent): readonly SagaAction<ResponseContentCommand>[] => {
  const { responseId } = data;
  switch (type) {
    case 'ResponseStored': {
      const command = { type: 'ExpireResponse', data: { responseId } } as const;
      return [
        { kind: 'command', command: { type: 'RetainResponse', data: { responseId } } },
        { kind: 'schedule', timer: TIMER, dueAt: data.expiresAt, command },
      ];
    }
    case 'ResponseDeleted':
      return [
        { kind: 'cancel', timer: TIMER },
        { kind: 'command', command: { type: 'ReleaseResponse', data: { responseId } } },
      ];
  }
};

/**
 * The log decides which content is kept, and for how long. The service retains and releases at
 * once; the saga does what a crash left undone, and deletes what has expired.
 */
export const responseContentSaga: Saga<ResponseEvent, object, ResponseContentCommand> = {
  name: 'response-content',
  on: { ResponseStored, ResponseDeleted },
  key: ({ data }) => data.responseId,
  initialState: {},
  evolve: (state, { type }) => (type === 'ResponseDeleted' ? null : state),
  react,
};
