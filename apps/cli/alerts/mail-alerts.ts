import { alertRaised } from '#areas/alerts/alert-raised.notification.js';
import { UserProfileQuery } from '#areas/identity/accounts/user-profile.handler.js';
import { CreateWebhookCommand } from '#areas/webhooks/create-webhook.handler.js';
import { DeleteWebhookCommand } from '#areas/webhooks/delete-webhook.handler.js';
import { ListWebhooksQuery } from '#areas/webhooks/webhooks.queries.js';
import { webhookEndpoints } from '#projections/webhooks/webhook-endpoints.projection.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { userIdOf } from '../user-option.js';
import { ALERT_AREAS } from './alert-rules.js';

export interface MailAlertsOptions extends CommonOptions {
  readonly user: string;
  readonly state: 'on' | 'off';
}

const NEEDS = {
  areas: [...ALERT_AREAS, 'webhooks'],
  installation: 'exists',
  projections: [webhookEndpoints],
} as const;

const TYPES = [alertRaised.type, 'budget.threshold_reached', 'statement.ready'];

/** An endpoint of the format `mail`, as the API makes it; one is enough. */
export const mailAlerts = (
  { user, state }: MailAlertsOptions,
  invocation: Invocation,
): Promise<Outcome> =>
  withQuipu(invocation, NEEDS, async ({ commands, queries, context }) => {
    const userId = await userIdOf({ queries }, user);
    const { accountId } = await queries.execute(new UserProfileQuery(userId));
    const { webhooks } = await queries.execute(new ListWebhooksQuery(accountId));
    const mailed = webhooks.filter(({ endpoint }) => endpoint.format === 'mail');
    if (state === 'off') {
      for (const {
        endpoint: { endpointId },
      } of mailed)
        await commands.execute(new DeleteWebhookCommand({ accountId, endpointId }, context()));
    } else if (mailed.length === 0) {
      const order = { url: null, types: TYPES, format: 'mail' } as const;
      await commands.execute(new CreateWebhookCommand({ accountId, userId }, order, context()));
    }
    const types = state === 'on' ? TYPES.join(', ') : 'nothing';
    return {
      json: { account_id: accountId, mail: state === 'on' },
      text: `${user} gets ${types} by mail.`,
    };
  });
