import {
  ResponseDeleted,
  ResponseQueued,
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

type ContentEvent = ResponseQueued | ResponseStored | ResponseDeleted;

const TIMER = 'expiry';

const react = ({ type, data }: ContentEvent): readonly SagaAction<ResponseContentCommand>[] => {
  const { responseId } = data;
  switch (type) {
    case 'ResponseQueued':
      return [{ kind: 'command', command: { type: 'RetainResponse', data: { responseId } } }];
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
 * once; the saga completes the work after a crash, and deletes expired responses.
 */
export const responseContentSaga: Saga<ContentEvent, object, ResponseContentCommand> = {
  name: 'response-content',
  on: { ResponseQueued, ResponseStored, ResponseDeleted },
  key: ({ data }) => data.responseId,
  initialState: {},
  evolve: (state, { type }) => (type === 'ResponseDeleted' ? null : state),
  react,
};
