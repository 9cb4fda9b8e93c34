import { answered } from '../../operations/answered.js';

export type FindingState = 'ok' | 'warning' | 'failed';

/** The state of one part of an installation. */
export interface Finding {
  /** Such as `log` or `rig local`. */
  readonly part: string;
  readonly state: FindingState;
  readonly detail: string;
  /** A step of the operator; null where there is nothing to do. */
  readonly remedy: string | null;
}

export const ok = (part: string, detail: string): Finding => ({
  part,
  state: 'ok',
  detail,
  remedy: null,
});

export const warning = (part: string, detail: string, remedy: string): Finding => ({
  part,
  state: 'warning',
  detail,
  remedy,
});

export const failed = (part: string, detail: string, remedy: string): Finding => ({
  part,
  state: 'failed',
  detail,
  remedy,
});

const ANSWER_MS_MAX = 5_000;

/** The findings, or one failure: of a server that does not answer in time, or does not work. */
export const examined = async (
  part: string,
  remedy: string,
  examine: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> => {
  const { answer, failure } = await answered(examine(), ANSWER_MS_MAX);
  return answer ?? [failed(part, failure ?? 'no answer', remedy)];
};
