export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for each attempt, so that a reader recognises a repeat. */
  readonly id?: string;
}

/** The server did not take a mail. The message has no address and no credential. */
export class MailError extends Error {
  override readonly name = 'MailError';
}

/** The class is the injection token. */
export abstract class Mailer {
  /** Whether the operator has named a server; without one `send` rejects. */
  abstract readonly isSet: boolean;

  /** @throws MailError */
  abstract send(mail: Mail): Promise<void>;
}
