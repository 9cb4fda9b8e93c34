import { BundleError } from './bundles.errors.js';
import { type CborReader, type CborWriter } from './cbor.js';

/** The longest text of an endpoint. */
export const EID_LENGTH_MAX = 255;

const DTN = 1;
const IPN = 2;

/** `dtn:none`, `dtn://node/service` or `ipn:node.service`. */
export type EndpointId = string;

export const DTN_NONE = 'dtn:none';

const DTN_NAME = /^\/\/[\w.~!$&'()*+,;=:@%-]+\/[!-~]*$/;
const IPN_NAME = /^(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,15})$/;

const isDtnName = (name: string): boolean =>
  DTN_NAME.test(name) && name.length + 4 <= EID_LENGTH_MAX;

export const isEndpointId = (eid: string): boolean => {
  if (eid === DTN_NONE) return true;
  if (eid.startsWith('dtn:')) return isDtnName(eid.slice(4));
  return eid.startsWith('ipn:') && ipnOf(eid) !== null;
};

/** The node of an endpoint: its text without the service; undefined for `dtn:none`. */
export const nodeOf = (eid: EndpointId): EndpointId | undefined => {
  if (eid === DTN_NONE) return undefined;
  const ipn = ipnOf(eid);
  if (ipn) return `ipn:${ipn[0]}.0`;
  return eid.slice(0, eid.indexOf('/', 'dtn://'.length) + 1);
};

const ipnOf = (eid: string): readonly [number, number] | null => {
  const [, node, service] = (eid.startsWith('ipn:') && IPN_NAME.exec(eid.slice(4))) || [];
  const numbers = [Number(node), Number(service)] as const;
  return numbers.every(Number.isSafeInteger) ? numbers : null;
};

export const writeEid = (writer: CborWriter, eid: EndpointId): void => {
  if (!isEndpointId(eid)) throw new BundleError('malformed', 'the endpoint is no dtn or ipn URI');
  writer.array(2);
  const ipn = ipnOf(eid);
  if (ipn) writer.uint(IPN).array(2).uint(ipn[0]).uint(ipn[1]);
  else if (eid === DTN_NONE) writer.uint(DTN).uint(0);
  else writer.uint(DTN).text(eid.slice('dtn:'.length));
};

export const decodeEid = (reader: CborReader): EndpointId => {
  reader.arrayOf(2);
  const scheme = reader.uint();
  if (scheme === IPN) {
    reader.arrayOf(2);
    return `ipn:${reader.uint()}.${reader.uint()}`;
  }
  if (scheme !== DTN) throw new BundleError('unsupported', `endpoints of scheme ${scheme}`);
  if (reader.isAtUint()) {
    if (reader.uint() !== 0) throw new BundleError('malformed', 'a number of dtn other than 0');
    return DTN_NONE;
  }
  const name = reader.text();
  if (isDtnName(name)) return `dtn:${name}`;
  throw new BundleError('malformed', 'an endpoint of dtn without //node/');
};
