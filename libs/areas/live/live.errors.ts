import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const liveErrors = {
  live_session_not_found: { status: 404, param: 'session_token' },
  live_session_ended: { status: 410, param: 'session_token' },
  live_signalling_open: { status: 409, param: 'session' },
  live_frames_used_up: { status: 429 },
  live_image_unreadable: { status: 400, param: 'image_png_base64' },
  live_upgrade_required: { status: 426 },
  live_not_priced: { status: 501 },
  too_many_live_sessions: { status: 429 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type LiveErrorCode = keyof typeof liveErrors;

export const reject = (code: LiveErrorCode, detail: string): never => {
  throw new DomainError<LiveErrorCode>(code, detail);
};
