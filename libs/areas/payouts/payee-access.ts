import { Injectable } from '@nestjs/common';
import { type Beneficiary } from '#events/payouts/earning.events.js';
import { Beneficiaries, type PayeeCaller } from './beneficiaries.port.js';
import { reject } from './payouts.errors.js';

/** Whose payouts a caller may see: an Admin all, others their own. */
@Injectable()
export class PayeeAccess {
  constructor(private readonly beneficiaries: Beneficiaries) {}

  /**
   * @param asked the beneficiary that the request names, if any
   * @throws DomainError `beneficiary_required`, `beneficiary_not_found`; as the port does
   */
  async beneficiaryOf(caller: PayeeCaller, asked: Beneficiary | undefined): Promise<Beneficiary> {
    if (caller.role === 'Admin') {
      return asked ?? reject('beneficiary_required', 'beneficiary: an Admin names it');
    }
    const own = await this.beneficiaries.ofUser(caller);
    return asked === undefined || asked === own
      ? own
      : reject('beneficiary_not_found', `there is no beneficiary ${asked}`);
  }
}
