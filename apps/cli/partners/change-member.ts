import {
  JoinPartnerCommand,
  LeavePartnerCommand,
} from '#areas/partners/change-membership.handler.js';
import { type Capacity, PartnerId } from '#events/partners/partner.vocabulary.js';
import { type CommonOptions, type Invocation, type Outcome, type Run } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { PARTNER_NEEDS, userIdOf } from './partner-needs.js';

export interface ChangeMemberOptions extends CommonOptions {
  readonly partner: number;
  readonly user: string;
}

type Change = typeof JoinPartnerCommand | typeof LeavePartnerCommand;

const changeMember =
  (ChangeCommand: Change, capacity: Capacity, done: string): Run<ChangeMemberOptions> =>
  async ({ partner, user }: ChangeMemberOptions, invocation: Invocation): Promise<Outcome> => {
    const partnerId = PartnerId.parse(partner);
    const userId = await withQuipu(invocation, PARTNER_NEEDS, async (quipu) => {
      const member = { partnerId, userId: await userIdOf(quipu, user), capacity };
      await quipu.commands.execute(new ChangeCommand(member, quipu.context()));
      return member.userId;
    });
    return {
      json: { partner_id: partnerId, user_id: userId },
      text: `${user} ${done} partner ${partnerId}.`,
    };
  };

export const addSubUser = changeMember(JoinPartnerCommand, 'sub_user', 'is a sub-user of');
export const removeSubUser = changeMember(LeavePartnerCommand, 'sub_user', 'has left');
export const addManager = changeMember(JoinPartnerCommand, 'manager', 'manages');
export const removeManager = changeMember(LeavePartnerCommand, 'manager', 'no longer manages');
