import { Injectable } from '@nestjs/common';
import { followUp } from '#platform/runtime/commands/command-context.js';
import {
  type Bundle,
  BundleError,
  bundlePayloadOf,
  decodeStatusReport,
  dtnTimeOf,
  nodeOf,
  type StatusReport,
} from '../bundles.engine.js';
import { StoredBundles } from '../stored-bundles.js';

const SERVICE = 'reports/';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where the reports about a bundle go: the name of the bundle is the service. */
export const reportEndpointOf = (node: string, bundleId: string): string =>
  `${node}${SERVICE}${bundleId}`;

/** Null for another endpoint. */
export const reportedBundleOf = (node: string, endpoint: string): string | null => {
  const prefix = `${node}${SERVICE}`;
  const bundleId = endpoint.startsWith(prefix) ? endpoint.slice(prefix.length) : '';
  return UUID.test(bundleId) ? bundleId : null;
};

/** Records what other nodes report of bundles of this one. Reports may repeat, and come late. */
@Injectable()
export class StatusReports {
  constructor(private readonly bundles: StoredBundles) {}

  /**
   * @param atIso when the report came
   * @returns whether it is about this bundle
   */
  async record(bundleId: string, bundle: Bundle, atIso: string): Promise<boolean> {
    const report = reportOf(bundle);
    const state = await this.bundles.stateOf(bundleId);
    const by = nodeOf(bundle.primary.source);
    if (!report || !state || by === undefined) return false;
    const { source, created } = report;
    const isAbout =
      source === state.source && created.timeMs === dtnTimeOf(Date.parse(state.acceptedAt));
    if (!isAbout) return false;
    const { received, delivered } = report.items;
    if (delivered.isAsserted && by === nodeOf(state.destination)) {
      const data = { by, deliveredAt: atIso };
      await this.bundles.run(
        bundleId,
        { type: 'DeliverBundle', data },
        of(bundleId, 'delivered', by),
      );
    } else if (received.isAsserted) {
      const data = { by, transferredAt: atIso };
      await this.bundles.run(
        bundleId,
        { type: 'TransferCustody', data },
        of(bundleId, 'received', by),
      );
    }
    return true;
  }
}

const of = (id: string, what: string, by: string) =>
  followUp({ id, correlationId: id }, `${what} ${by}`, 'system');

const reportOf = (bundle: Bundle): StatusReport | null => {
  try {
    return decodeStatusReport(bundlePayloadOf(bundle));
  } catch (error) {
    if (error instanceof BundleError) return null;
    throw error;
  }
};
