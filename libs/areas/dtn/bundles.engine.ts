/** The codec is synchronous and small: a bundle of this area is encoded where it is accepted. */
export { type Bundle, BLOCK_TYPES, dtnTimeOf, PAYLOAD_NUMBER } from '#engines/bundles/bundle.js';
export { encodeBundle } from '#engines/bundles/bundle.codec.js';
export { isEndpointId, nodeOf } from '#engines/bundles/endpoint-id.js';
