import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area, the HTTP status it becomes and the field at fault. */
export const alertsErrors = {
  alert_for_operators: { status: 403, param: 'rig_down' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type AlertsErrorCode = keyof typeof alertsErrors;

export const reject = (code: AlertsErrorCode, detail: string): never => {
  throw new DomainError<AlertsErrorCode>(code, detail);
};
