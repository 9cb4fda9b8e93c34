import { createHash } from 'node:crypto';
import { Inject } from '@nestjs/common';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { type Grant } from '#events/identity/group-rule.events.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { Authenticator } from '../authentication/authenticator.js';
import { reject } from '../identity.errors.js';
import { groupRulesStream, IdentityStreams } from '../identity.streams.js';
import { demandScopesOfRole, orderedScopes } from '../keys/key-policy.js';
import { DEFAULT_TENANT } from '../tenants/tenant.decider.js';
import { type GroupRule, type GroupRuleCommand } from './group-rules.decider.js';
import { OPENID_SETTINGS, type OpenIdSettings } from './openid.settings.js';
import { missing } from './provider-discovery.js';

export interface GroupRuleView extends GroupRule {
  /** Of issuer and group. */
  readonly id: string;
}

const ID_LENGTH = 16;

const idOf = ({ issuer, group }: Pick<GroupRule, 'issuer' | 'group'>): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, group]))
    .digest('hex')
    .slice(0, ID_LENGTH);

const STREAM = groupRulesStream(DEFAULT_TENANT);

/** @throws DomainError `oidc_not_configured`, `scope_not_allowed`, `too_many_group_rules` */
export class SetGroupRuleCommand extends Command<GroupRuleView> {
  constructor(
    readonly data: {
      /** Default: the configured one. */
      readonly issuer?: string;
      readonly group: string;
      readonly grant: Grant;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** @throws DomainError `group_rule_not_found` */
export class RemoveGroupRuleCommand extends Command<GroupRuleView> {
  constructor(
    readonly id: string,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** In the order in which they were set. */
export class GroupRulesQuery extends Query<readonly GroupRuleView[]> {}

@CommandHandler(SetGroupRuleCommand)
export class SetGroupRuleHandler implements ICommandHandler<SetGroupRuleCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly authenticator: Authenticator,
    @Inject(OPENID_SETTINGS) private readonly settings: OpenIdSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data: { group, grant, ...data }, context }: SetGroupRuleCommand) {
    const issuer =
      data.issuer ?? this.settings.issuer ?? reject('oidc_not_configured', missing('ISSUER'));
    demandScopesOfRole(grant.tokenScopes, grant.role);
    const rule = {
      issuer,
      group,
      grant: { ...grant, tokenScopes: orderedScopes(grant.tokenScopes) },
    };
    const command: GroupRuleCommand = {
      type: 'SetGroupRule',
      data: { ...rule, setAt: instant(this.clock) },
    };
    await this.streams.groupRules.run(STREAM, command, context);
    this.authenticator.invalidate();
    return { id: idOf(rule), ...rule };
  }
}

@CommandHandler(RemoveGroupRuleCommand)
export class RemoveGroupRuleHandler implements ICommandHandler<RemoveGroupRuleCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly authenticator: Authenticator,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ id, context }: RemoveGroupRuleCommand): Promise<GroupRuleView> {
    const { state: rules } = await this.streams.groupRules.stateOf(STREAM);
    const rule = rules.find((one) => idOf(one) === id);
    if (!rule) return reject('group_rule_not_found', `there is no rule ${id}`);
    const { issuer, group } = rule;
    const data = { issuer, group, removedAt: instant(this.clock) };
    await this.streams.groupRules.run(STREAM, { type: 'RemoveGroupRule', data }, context);
    this.authenticator.invalidate();
    return { id, ...rule };
  }
}

/** Reads the event log, so it needs no read model. */
@QueryHandler(GroupRulesQuery)
export class GroupRulesHandler implements IQueryHandler<GroupRulesQuery> {
  constructor(private readonly streams: IdentityStreams) {}

  async execute(): Promise<readonly GroupRuleView[]> {
    const { state: rules } = await this.streams.groupRules.stateOf(STREAM);
    return rules.map((rule) => ({ id: idOf(rule), ...rule }));
  }
}
