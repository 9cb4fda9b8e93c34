import {
  type OwnModelEvent,
  OwnModelRegistered,
  OwnModelRemoved,
} from '#events/platform/own-model.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

export interface OwnModelContentCommand {
  readonly type: 'SettleOwnModel';
  readonly data: { readonly accountId: string; readonly modelId: string };
}

const react = ({
  data: { accountId, modelId },
}: OwnModelEvent): readonly SagaAction<OwnModelContentCommand>[] => [
  { kind: 'command', command: { type: 'SettleOwnModel', data: { accountId, modelId } } },
];

/**
 * The log decides which files are kept. `OwnModels` retains and releases them at once; the saga
 * does what a crash left undone.
 */
export const ownModelContentSaga: Saga<OwnModelEvent, object, OwnModelContentCommand> = {
  name: 'own-model-content',
  on: { OwnModelRegistered, OwnModelRemoved },
  key: ({ data }) => data.modelId,
  initialState: {},
  evolve: (state, { type }) => (type === 'OwnModelRemoved' ? null : state),
  react,
};
