import { adaptersArea } from '#areas/adapters/adapters.area.js';
import { agentsArea } from '#areas/agents/agents.area.js';
import { alertsArea } from '#areas/alerts/alerts.area.js';
import { auditArea } from '#areas/audit/audit.area.js';
import { batchesArea } from '#areas/batches/batches.area.js';
import { audioArea } from '#areas/audio/audio.area.js';
import { billingArea } from '#areas/billing/billing.area.js';
import { catalogArea } from '#areas/catalog/catalog.area.js';
import { cleanroomsArea } from '#areas/cleanrooms/cleanrooms.area.js';
import { costsArea } from '#areas/costs/costs.area.js';
import { liveArea } from '#areas/live/live.area.js';
import { dtnArea } from '#areas/dtn/dtn.area.js';
import { embeddingsArea } from '#areas/embeddings/embeddings.area.js';
import { filesArea } from '#areas/files/files.area.js';
import { fleetArea } from '#areas/fleet/fleet.area.js';
import { guardsArea } from '#areas/guards/guards.area.js';
import { identityArea } from '#areas/identity/identity.area.js';
import { inferenceArea } from '#areas/inference/inference.area.js';
import { imagesArea } from '#areas/images/images.area.js';
import { jobsArea } from '#areas/jobs/jobs.area.js';
import { investorsArea } from '#areas/investors/investors.area.js';
import { modelsArea } from '#areas/models/models.area.js';
import { meshArea } from '#areas/mesh/mesh.area.js';
import { observationArea } from '#areas/observation/observation.area.js';
import { orbitArea } from '#areas/orbit/orbit.area.js';
import { packagesArea } from '#areas/packages/packages.area.js';
import { partnersArea } from '#areas/partners/partners.area.js';
import { placementArea } from '#areas/placement/placement.area.js';
import { payoutsArea } from '#areas/payouts/payouts.area.js';
import { paymentsArea } from '#areas/payments/payments.area.js';
import { proofsArea } from '#areas/proofs/proofs.area.js';
import { rentalsArea } from '#areas/rentals/rentals.area.js';
import { requestsArea } from '#areas/requests/requests.area.js';
import { responsesArea } from '#areas/responses/responses.area.js';
import { rigsArea } from '#areas/rigs/rigs.area.js';
import { spikingArea } from '#areas/spiking/spiking.area.js';
import { sandboxArea } from '#areas/sandbox/sandbox.area.js';
import { shardingArea } from '#areas/sharding/sharding.area.js';
import { streamsArea } from '#areas/streams/streams.area.js';
import { swarmArea } from '#areas/swarm/swarm.area.js';
import { tracesArea } from '#areas/traces/traces.area.js';
import { visionArea } from '#areas/vision/vision.area.js';
import { vaultsArea } from '#areas/vaults/vaults.area.js';
import { webhooksArea } from '#areas/webhooks/webhooks.area.js';
import { workflowsArea } from '#areas/workflows/workflows.area.js';
import { taxArea } from '#areas/tax/tax.area.js';
import { teamsArea } from '#areas/teams/teams.area.js';
import { quantizationArea } from '#areas/quantization/quantization.area.js';
import { trainingArea } from '#areas/training/training.area.js';
import { statisticsArea } from '#areas/statistics/statistics.area.js';
import { type AnyEventDefinition } from '#events/definition.js';
import { platformEvents } from '#events/platform/platform.events.js';
import { type Area } from '#platform/runtime/areas/area.js';

/** The areas of Quipu, one line each. */
export const areas: readonly Area[] = [
  identityArea,
  billingArea,
  catalogArea,
  inferenceArea,
  guardsArea,
  streamsArea,
  embeddingsArea,
  imagesArea,
  visionArea,
  vaultsArea,
  jobsArea,
  requestsArea,
  responsesArea,
  filesArea,
  batchesArea,
  agentsArea,
  rigsArea,
  rentalsArea,
  partnersArea,
  investorsArea,
  payoutsArea,
  taxArea,
  teamsArea,
  auditArea,
  paymentsArea,
  alertsArea,
  tracesArea,
  webhooksArea,
  statisticsArea,
  costsArea,
  workflowsArea,
  sandboxArea,
  spikingArea,
  audioArea,
  swarmArea,
  meshArea,
  placementArea,
  adaptersArea,
  shardingArea,
  fleetArea,
  orbitArea,
  observationArea,
  proofsArea,
  dtnArea,
  liveArea,
  cleanroomsArea,
  trainingArea,
  quantizationArea,
  modelsArea,
  packagesArea,
];

/** The sources of events: the platform and each area. */
export const publishers: readonly {
  readonly name: string;
  readonly events: readonly AnyEventDefinition[];
}[] = [{ name: 'platform', events: platformEvents }, ...areas];
