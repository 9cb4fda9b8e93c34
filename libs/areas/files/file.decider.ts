import { FileCreated, FileDeleted, type FileEvent } from '#events/files/file.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { notFound } from './files.errors.js';

export type FileCommand =
  | { readonly type: 'CreateFile'; readonly data: FileCreated['data'] }
  | {
      readonly type: 'DeleteFile';
      readonly data: {
        readonly fileId: string;
        /** The account that asks; null: an Admin. */
        readonly accountId: string | null;
        readonly deletedAt: string;
      };
    }
  | {
      readonly type: 'ExpireFile';
      readonly data: { readonly fileId: string; readonly expiredAt: string };
    };

export type FileState =
  | { readonly status: 'absent' }
  | { readonly status: 'present' | 'deleted'; readonly file: FileCreated['data'] };

const deleted = (
  { sealedName: _name, expiresAt: _expiresAt, ...named }: FileCreated['data'],
  reason: FileDeleted['data']['reason'],
  deletedAt: string,
): FileDeleted => FileDeleted.of({ ...named, reason, deletedAt });

const decide = ({ type, data }: FileCommand, state: FileState): readonly FileEvent[] => {
  switch (type) {
    case 'CreateFile':
      return state.status === 'absent' ? [FileCreated.of(data)] : [];
    case 'DeleteFile': {
      if (state.status !== 'present') return notFound(data.fileId);
      const isAllowed = data.accountId === null || data.accountId === state.file.accountId;
      if (!isAllowed) return notFound(data.fileId);
      return [deleted(state.file, 'requested', data.deletedAt)];
    }
    case 'ExpireFile': {
      if (state.status !== 'present' || state.file.expiresAt === null) return [];
      const isDue = data.expiredAt >= state.file.expiresAt;
      return isDue ? [deleted(state.file, 'expired', data.expiredAt)] : [];
    }
  }
};

const evolve = (state: FileState, { type, data }: FileEvent): FileState => {
  switch (type) {
    case 'FileCreated':
      return { status: 'present', file: data };
    case 'FileDeleted':
      return state.status === 'absent' ? state : { ...state, status: 'deleted' };
  }
};

export const fileDecider: Decider<FileCommand, FileState, FileEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
