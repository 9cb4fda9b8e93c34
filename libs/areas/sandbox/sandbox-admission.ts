import { Inject, Injectable } from '@nestjs/common';
import { type WasmCaptureEvidence, type WasmHoldEvidence } from '#events/sandbox/wasm.evidence.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type LedgerEntry } from '#platform/ledger/hold.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type PaidOrder } from '#platform/ledger/paid-work/paid-order.js';
import { type HeldRequest, PaidRequests } from '#platform/ledger/paid-work/paid-request.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { fuelPriceOf } from './fuel-price.js';
import { requestMsMaxOf, SANDBOX_SETTINGS, type SandboxSettings } from './sandbox.settings.js';
import { type WasmEnd, type WasmTask } from './wasm.engine.js';
import { wasmProduct } from './wasm.product.js';

export interface AdmissionOrder extends PaidOrder {
  readonly task: WasmTask;
}

/** A run whose limit of fuel is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedModule extends Pick<HeldRequest, 'release'> {
  /** Charges the fuel that was spent, whatever the outcome. */
  capture(end: WasmEnd): Promise<LedgerEntry>;
}

/** Prices a run and holds its limit of fuel before any work. */
@Injectable()
export class SandboxAdmission {
  constructor(
    private readonly paid: PaidRequests,
    private readonly prices: MeterPrices,
    @Inject(SANDBOX_SETTINGS) private readonly settings: SandboxSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws as `PaidRequests.admit` */
  async admit({ task, ...order }: AdmissionOrder): Promise<AdmittedModule> {
    const pricedAtMs = this.clock.now();
    const price = fuelPriceOf(this.prices.inForce(pricedAtMs));
    const { moduleSha256, memoryLimitMb, fuelLimit } = task;
    const asked: WasmHoldEvidence = { moduleSha256, memoryLimitMb, fuelLimit };
    const held = await this.paid.admit(order, {
      purpose: wasmProduct.purpose,
      lines: [price.lineOf(fuelLimit)],
      rateCardVersion: price.rateCardVersion,
      evidence: asked,
      pricedAtMs,
      requestMsMax: requestMsMaxOf(this.settings),
    });
    return {
      release: (reason) => held.release(reason),
      capture: ({ outcome, exitCode, fuel, meterVersion }) => {
        const evidence: WasmCaptureEvidence = { ...asked, outcome, exitCode, fuel, meterVersion };
        return held.capture({
          ...held.charged([price.lineOf(fuel)]),
          evidence,
          usageSource: 'counted',
          outcome: outcome === 'timed_out' ? 'timed_out' : 'completed',
        });
      },
    };
  }
}
