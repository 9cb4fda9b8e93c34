import { DomainError } from '#platform/kernel/domain-error.js';

/** Every domain error of the area and the HTTP status it becomes. The keys are the complete set. */
export const webhooksErrors = {
  webhook_not_found: { status: 404, param: 'id' },
  webhook_delivery_not_found: { status: 404, param: 'id' },
  webhook_delivery_cancelled: { status: 409 },
  webhook_url_not_allowed: { status: 400, param: 'url' },
  webhook_type_unknown: { status: 400, param: 'types' },
  webhook_type_not_found: { status: 404, param: 'type' },
  webhook_mail_not_set_up: { status: 409, param: 'format' },
  too_many_webhooks: { status: 409 },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly param?: string }>>;

export type WebhooksErrorCode = keyof typeof webhooksErrors;

export const reject = (code: WebhooksErrorCode, detail: string): never => {
  throw new DomainError<WebhooksErrorCode>(code, detail);
};
