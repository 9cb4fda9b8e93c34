/**
 * The bytes of an account that others keep and that count as its files, such as its models. The
 * class is the injection token.
 */
export abstract class FurtherStorage {
  abstract bytesOf(accountId: string): number;
}
