import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { isEndpointId, nodeOf } from './bundles.engine.js';
import { PLAN_RUNNER, PLAN_STREAM, type PlanRunner } from './contact-plans.js';
import { reject } from './dtn.errors.js';
import { type PlanCommand, type PlanState } from './plan.decider.js';
import { StationPasses } from './station-passes.port.js';

/** A command of the plan without its instant. */
export type PlanChange = PlanCommand extends infer One
  ? One extends { readonly type: infer Type; readonly data: infer Data }
    ? {
        readonly type: Type;
        readonly data: Omit<Data, 'plannedAt' | 'withdrawnAt' | 'declaredAt'>;
      }
    : never
  : never;

/** Changes the contact plan of the installation. */
export class ChangePlanCommand extends Command<PlanState> {
  constructor(
    readonly change: PlanChange,
    readonly context: CommandContext,
  ) {
    super();
  }
}

const DAY_MS = 86_400_000;

@CommandHandler(ChangePlanCommand)
export class ChangePlanHandler implements ICommandHandler<ChangePlanCommand> {
  constructor(
    @Inject(PLAN_RUNNER) private readonly runner: PlanRunner,
    private readonly stations: StationPasses,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError */
  async execute({ change, context }: ChangePlanCommand): Promise<PlanState> {
    await this.#check(change);
    const { state } = await this.runner.run(PLAN_STREAM, this.#commandOf(change), context);
    return state;
  }

  async #check({ type, data }: PlanChange): Promise<void> {
    if (type === 'PlanContact') demandNodes({ from: data.from, to: data.to });
    if (type !== 'DeclareLink') return;
    const { stationNode, satelliteNode, stationId, satelliteId } = data;
    demandNodes({ station_node: stationNode, satellite_node: satelliteNode });
    // An unknown station or satellite is an error now and not a gap of the plan later.
    const nowMs = this.clock.now();
    await this.stations.find(stationId, satelliteId, nowMs, nowMs + DAY_MS);
  }

  #commandOf(change: PlanChange): PlanCommand {
    const at = instant(this.clock);
    switch (change.type) {
      case 'PlanContact':
        return { type: 'PlanContact', data: { ...change.data, plannedAt: at } };
      case 'DeclareLink':
        return { type: 'DeclareLink', data: { ...change.data, declaredAt: at } };
      case 'WithdrawContact':
        return { type: 'WithdrawContact', data: { ...change.data, withdrawnAt: at } };
      case 'WithdrawLink':
        return { type: 'WithdrawLink', data: { ...change.data, withdrawnAt: at } };
    }
  }
}

const demandNodes = (nodes: Readonly<Record<string, string>>): void => {
  for (const [field, eid] of Object.entries(nodes)) {
    if (isEndpointId(eid) && nodeOf(eid) === eid) continue;
    reject('dtn_eid_invalid', `${field}: expected a node, such as dtn://station-1/`);
  }
};
