import { type LookupFunction } from 'node:net';
import { isPrivateHost, lookupOfPublicHosts } from './public-addresses.js';

/** The addresses that a customer gives, and that this gateway calls. */
export interface CalledAddresses {
  /** With its article: `a webhook`. */
  readonly noun: string;
  /** The setting with which the operator allows private addresses. */
  readonly setting: string;
  readonly rejection: (detail: string) => Error;
}

export interface PublicAddressRules {
  /**
   * The URL, unless it has a fault that needs no name server.
   * @throws the rejection
   */
  readonly demandPublicUrl: (text: string, allowsPrivate: boolean) => URL;
  /** Rejects connections to a name with a private address. */
  readonly publicLookup: LookupFunction;
}

/** By https to public addresses only, and without credentials in the URL. */
export const publicAddressRules = ({
  noun,
  setting,
  rejection,
}: CalledAddresses): PublicAddressRules => {
  const rejectionOf = (detail: string): Error =>
    rejection(`${detail}; the operator can allow it with ${setting}=allow`);
  return {
    demandPublicUrl: (text, allowsPrivate) => {
      const url = new URL(text);
      if (url.username !== '' || url.password !== '') {
        throw rejection(`the URL of ${noun} has no user and no password`);
      }
      if (allowsPrivate) return url;
      if (url.protocol !== 'https:') throw rejectionOf(`${noun} is called by https only`);
      if (isPrivateHost(url.hostname)) throw rejectionOf(`${url.hostname} is a private address`);
      return url;
    },
    publicLookup: lookupOfPublicHosts((hostname, address) =>
      rejectionOf(`${hostname} has the private address ${address}`),
    ),
  };
};
