import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type ContactPlanned, type LinkDeclared, type PlanEvent } from '#events/dtn/dtn.events.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { DTN_SETTINGS, type DtnSettings } from './dtn.settings.js';
import { LINKS_MAX, type PlanCommand, type PlanState } from './plan.decider.js';
import { type Contact } from './routing/contact-plan.js';
import { StationPasses } from './station-passes.port.js';

export type PlanRunner = CommandRunner<PlanCommand, PlanState, PlanEvent>;
export const PLAN_RUNNER = Symbol('PlanRunner');
export const PLAN_STREAM = 'dtn-plan';

/** A contact, and what it was planned from. */
export interface PlannedContact extends Contact {
  readonly kind: 'ground' | 'pass' | 'manual';
}

export interface ContactPlan {
  readonly contacts: readonly PlannedContact[];
  /** Links without contacts, and why. */
  readonly gaps: readonly { readonly linkId: number; readonly reason: string }[];
}

const MS_PER_HOUR = 3_600_000;
const MS_PER_MINUTE = 60_000;
/** Further ahead the elements of a satellite say little. */
export const HORIZON_MS = 7 * 24 * MS_PER_HOUR;
const LIGHT_KM_PER_MS = 299.792458;
const GROUND_BITS_PER_SECOND = 1_000_000_000;

/** The contacts to come: passes of links, contacts planned by hand, and the ground network. */
@Injectable()
export class ContactPlans {
  readonly #passes = new LRUCache<string, readonly PlannedContact[]>({ max: 2 * LINKS_MAX });

  constructor(
    @Inject(PLAN_RUNNER) private readonly runner: Pick<PlanRunner, 'stateOf'>,
    private readonly stations: StationPasses,
    @Inject(DTN_SETTINGS) private readonly settings: DtnSettings,
  ) {}

  async state(): Promise<PlanState> {
    return (await this.runner.stateOf(PLAN_STREAM)).state;
  }

  /** From an instant on, at most for the horizon. */
  async from(nowMs: number, untilMs: number): Promise<ContactPlan> {
    const { contacts, links } = await this.state();
    const endMs = Math.min(untilMs, nowMs + HORIZON_MS);
    const found: PlannedContact[] = contacts.valueSeq().map(manualContact).toArray();
    const gaps: { readonly linkId: number; readonly reason: string }[] = [];
    for (const link of links.values()) {
      found.push(...groundContacts(link, this.settings.node, nowMs, endMs));
      try {
        found.push(...(await this.#passesOf(link, nowMs)));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        gaps.push({ linkId: link.linkId, reason: error.message });
      }
    }
    const isAhead = (one: Contact): boolean => one.endMs > nowMs && one.startMs < endMs;
    return { contacts: found.filter(isAhead), gaps };
  }

  /** One search serves an hour. Contacts keep their names when newer elements move them. */
  async #passesOf(link: LinkDeclared['data'], nowMs: number): Promise<readonly PlannedContact[]> {
    const { linkId, stationId, satelliteId } = link;
    const fromMs = nowMs - (nowMs % MS_PER_HOUR);
    const key = `${linkId}/${fromMs}`;
    const known = this.#passes.get(key);
    if (known) return known;
    const toMs = fromMs + HORIZON_MS + MS_PER_HOUR;
    const passes = await this.stations.find(stationId, satelliteId, fromMs, toMs);
    const { stationNode, satelliteNode, bitsPerSecond } = link;
    const contacts = passes.flatMap(({ startMs, endMs, closestMs, rangeKmMax }) => {
      const name = `link-${linkId}-${Math.round(closestMs / MS_PER_MINUTE)}`;
      const lightMs = Math.ceil(rangeKmMax / LIGHT_KM_PER_MS);
      const both = { kind: 'pass', startMs, endMs, bitsPerSecond, lightMs } as const;
      return [
        { ...both, id: `${name}-up`, from: stationNode, to: satelliteNode },
        { ...both, id: `${name}-down`, from: satelliteNode, to: stationNode },
      ];
    });
    this.#passes.set(key, contacts);
    return contacts;
  }
}

const manualContact = (contact: ContactPlanned['data']): PlannedContact => ({
  kind: 'manual',
  id: `contact-${contact.contactId}`,
  from: contact.from,
  to: contact.to,
  startMs: Date.parse(contact.startsAt),
  endMs: Date.parse(contact.endsAt),
  bitsPerSecond: contact.bitsPerSecond,
  lightMs: contact.lightMs,
});

/** This node and its stations reach each other at any time. */
const groundContacts = (
  { linkId, stationNode }: LinkDeclared['data'],
  node: string,
  startMs: number,
  endMs: number,
): readonly PlannedContact[] => {
  if (stationNode === node) return [];
  const always = { startMs, endMs, bitsPerSecond: GROUND_BITS_PER_SECOND, lightMs: 0 };
  return [
    { ...always, kind: 'ground', id: `ground-${linkId}-out`, from: node, to: stationNode },
    { ...always, kind: 'ground', id: `ground-${linkId}-in`, from: stationNode, to: node },
  ];
};
