/** Services of the area, one of each in a process. */
export const ACCOUNT_VIEWS = Symbol('AccountViews');
export const API_KEY_LIST = Symbol('ApiKeyList');
export const AUTHENTICATOR = Symbol('Authenticator');
export const KEY_RING = Symbol('KeyRing');
export const NAME_INDEX = Symbol('NameIndex');
export const PASSWORDS = Symbol('Passwords');
export const PASSWORD_CHECK = Symbol('PasswordCheck');
export const PERSONAL_DATA = Symbol('PersonalData');
export const SECOND_FACTORS = Symbol('SecondFactors');
export const SECOND_FACTOR_CHECK = Symbol('SecondFactorCheck');
export const SESSION_OPENER = Symbol('SessionOpener');
export const USER_DIRECTORY = Symbol('UserDirectory');
export const USER_IDS = Symbol('UserIds');
