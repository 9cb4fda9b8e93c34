/** The codec is synchronous and small: a bundle of this area is encoded where it is accepted. */
export {
  type Bundle,
  BLOCK_TYPES,
  BUNDLE_FLAGS,
  dtnTimeOf,
  PAYLOAD_NUMBER,
  payloadOf as bundlePayloadOf,
} from '#engines/bundles/bundle.js';
export { decodeStatusReport, type StatusReport } from '#engines/bundles/status-report.js';
export { BundleError } from '#engines/bundles/bundles.errors.js';
export { decodeBundle, encodeBundle } from '#engines/bundles/bundle.codec.js';
export { isEndpointId, nodeOf } from '#engines/bundles/endpoint-id.js';
