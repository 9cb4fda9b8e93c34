import { TextField } from './request-fields.js';

/** An account in a path. */
export class AccountIdDto {
  @TextField({
    example: '7',
    description: 'The id of the account.',
    matches: /^[a-z0-9][a-z0-9-]{0,63}$/,
    expected: 'the id of an account',
  })
  readonly account_id!: string;
}
