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
}
export const IDENTITY_SETTINGS = Symbol('IdentitySettings');
