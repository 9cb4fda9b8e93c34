import { Controller, Get, Header } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { ReceiptKeyQuery } from '#areas/cleanrooms/attestation/receipt-signer.js';
import { Scope } from '../identity/scope.decorator.js';

/** Public, as the verifier key of the log is. */
@ApiTags('cleanrooms')
@Scope('open')
@Controller('attestation')
export class AttestationKeyController {
  constructor(private readonly queries: QueryBus) {}

  @Get('key')
  @Header('content-type', 'text/plain; charset=utf-8')
  @ApiOperation({
    summary: 'The public key of the attestation receipts',
    description:
      'As PEM, for `quipu attest verify --signer`. A verifier should know it from elsewhere: an ' +
      'operator who signs another receipt can change this answer too.',
  })
  @ApiProduces('text/plain')
  @ApiOkResponse({ schema: { type: 'string' }, description: 'An Ed25519 key.' })
  key(): Promise<string> {
    return this.queries.execute(new ReceiptKeyQuery());
  }
}
