/** Settings of the area; the composition root validates them. */
export interface IdentitySettings {
  /** The tenant that every user belongs to. */
  readonly tenant: {
    readonly name: string;
    /** `#rrggbb` in lower case. */
    readonly primaryColor: string;
    /** The URL of the web host that users see. */
    readonly baseUrl: string;
  };
  /**
   * How old cached credentials may be, in milliseconds: the longest delay before a revocation by
   * another process takes effect here. Default: `FRESH_MS`, for an event log in this process.
   */
  readonly credentialsFreshMs?: number;
}
export const IDENTITY_SETTINGS = Symbol('IdentitySettings');
