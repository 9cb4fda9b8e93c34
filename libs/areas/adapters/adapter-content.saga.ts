import {
  type AdapterEvent,
  AdapterRemoved,
  AdapterUploaded,
} from '#events/adapters/adapter.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

export interface AdapterContentCommand {
  readonly type: 'SettleContent';
  readonly data: { readonly accountId: string; readonly adapterId: string };
}

const react = ({
  data: { accountId, adapterId },
}: AdapterEvent): readonly SagaAction<AdapterContentCommand>[] => [
  { kind: 'command', command: { type: 'SettleContent', data: { accountId, adapterId } } },
];

/**
 * The log decides which weights are kept. The handlers retain and release them at once; the saga
 * does what a crash left undone.
 */
export const adapterContentSaga: Saga<AdapterEvent, object, AdapterContentCommand> = {
  name: 'adapter-content',
  on: { AdapterUploaded, AdapterRemoved },
  key: ({ data }) => data.adapterId,
  initialState: {},
  evolve: (state, { type }) => (type === 'AdapterRemoved' ? null : state),
  react,
};
