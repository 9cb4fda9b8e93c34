/** A host that the operator lets workflows call. */
export interface AllowedHost {
  /** In lower case; without the `*.` of a wildcard. */
  readonly host: string;
  /** Whether it matches every name below the host, and not the host itself. */
  readonly isWildcard: boolean;
  /** Null: the port of the scheme. */
  readonly port: string | null;
  /** Whether it may have a private address, and be called without TLS. */
  readonly isPrivate: boolean;
}

const ENTRY = /^(private:)?(\*\.)?([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:\d{1,5})?$/;

/** `api.example.org`, `*.example.org`, `example.org:8443`, `private:10.0.0.7:8080`. */
export const allowedHostOf = (entry: string): AllowedHost | undefined => {
  const match = ENTRY.exec(entry.toLowerCase());
  if (!match) return undefined;
  const [, prefix, wildcard, host = '', , port] = match;
  return {
    host,
    isWildcard: wildcard !== undefined,
    port: port?.slice(1) ?? null,
    isPrivate: prefix !== undefined,
  };
};

/** The entry that allows a URL; undefined: none does. */
export const entryFor = (url: URL, hosts: readonly AllowedHost[]): AllowedHost | undefined =>
  hosts.find(({ host, isWildcard, port, isPrivate }) => {
    const name = url.hostname.toLowerCase();
    const isNamed = isWildcard ? name.endsWith(`.${host}`) : name === host;
    const schemes = isPrivate ? ['https:', 'http:'] : ['https:'];
    // `URL` leaves out the default port of its scheme.
    return isNamed && url.port === portOf(url, port) && schemes.includes(url.protocol);
  });

const SCHEME_PORTS: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' };

const portOf = ({ protocol }: URL, port: string | null): string =>
  port === null || port === SCHEME_PORTS[protocol] ? '' : port;
