/** What the composition root says; validated there. */
export interface IdentitySettings {
  /** The tenant that every user belongs to. */
  readonly tenant: {
    readonly name: string;
    /** `#rrggbb` in lower case. */
    readonly primaryColor: string;
    /** The web host, as users reach it. */
    readonly baseUrl: string;
  };
  /**
   * How old what is known of a credential may be, in milliseconds: so much later at most the end of
   * one counts that another process has ended. Default: as often as a log in this process may be
   * asked.
   */
  readonly credentialsFreshMs?: number;
}
export const IDENTITY_SETTINGS = Symbol('IdentitySettings');
