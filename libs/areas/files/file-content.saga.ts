import { FileCreated, FileDeleted, type FileEvent } from '#events/files/file.events.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

export type FileContentCommand =
  | { readonly type: 'RetainContent'; readonly data: { readonly fileId: string } }
  | { readonly type: 'ReleaseContent'; readonly data: { readonly fileId: string } }
  | { readonly type: 'ExpireFile'; readonly data: { readonly fileId: string } };

const TIMER = 'expiry';

const react = ({ type, data }: FileEvent): readonly SagaAction<FileContentCommand>[] => {
  const { fileId } = data;
  switch (type) {
    case 'FileCreated': {
      const content = { type: 'RetainContent', data: { fileId } } as const;
      const retain = { kind: 'command', command: content } as const;
      if (data.expiresAt === null) return [retain];
      const command = { type: 'ExpireFile', data: { fileId } } as const;
      const expire = { kind: 'schedule', timer: TIMER, dueAt: data.expiresAt, command } as const;
      return [retain, expire];
    }
    case 'FileDeleted':
      return [
        { kind: 'cancel', timer: TIMER },
        { kind: 'command', command: { type: 'ReleaseContent', data: { fileId } } },
      ];
  }
};

/**
 * The log decides which content is kept: a file that was created retains its blob, and one that was
 * deleted releases it. The handlers do so at once; the saga does what a crash left undone.
 */
export const fileContentSaga: Saga<FileEvent, object, FileContentCommand> = {
  name: 'file-content',
  on: { FileCreated, FileDeleted },
  key: ({ data }) => data.fileId,
  initialState: {},
  evolve: (state, { type }) => (type === 'FileDeleted' ? null : state),
  react,
};
