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
import {
  METER_VERSION,
  readingFuelOf,
  startFuelMaxOf,
  type WasmEnd,
  type WasmTask,
} from './wasm.engine.js';
import { wasmProduct } from './wasm.product.js';

/** Of a file that cannot be executed, as shells have it. */
const NOT_STARTED = 126;

export interface AdmissionOrder extends PaidOrder {
  readonly task: WasmTask;
}

/** A run whose worst case is held. Call exactly one of these, once. */
export interface AdmittedModule extends Pick<HeldRequest, 'release'> {
  /** Charges the fuel that was spent, whatever the outcome. */
  capture(end: WasmEnd): Promise<LedgerEntry>;
  /** Charges a module that was read and cannot be started. */
  captureReading(): Promise<LedgerEntry>;
}

type Spent = Pick<
  WasmCaptureEvidence,
  'outcome' | 'exitCode' | 'fuel' | 'startFuel' | 'meterVersion'
>;

/** Prices a run, and holds its limit of fuel and the cost of its start before any work. */
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
    const { moduleSha256, moduleBytes, memoryLimitMb, fuelLimit } = task;
    const asked: WasmHoldEvidence = { moduleSha256, memoryLimitMb, fuelLimit };
    const held = await this.paid.admit(order, {
      purpose: wasmProduct.purpose,
      lines: [price.lineOf(fuelLimit + startFuelMaxOf(moduleBytes))],
      rateCardVersion: price.rateCardVersion,
      evidence: asked,
      pricedAtMs,
      requestMsMax: requestMsMaxOf(this.settings),
    });
    const capture = (end: Spent): Promise<LedgerEntry> => {
      const { outcome, exitCode, fuel, startFuel, meterVersion } = end;
      const spent = { outcome, exitCode, fuel, startFuel, meterVersion };
      const evidence: WasmCaptureEvidence = { ...asked, ...spent };
      return held.capture({
        ...held.charged([price.lineOf(fuel + startFuel)]),
        evidence,
        usageSource: 'counted',
        outcome: outcome === 'timed_out' ? 'timed_out' : 'completed',
      });
    };
    const read: Spent = {
      outcome: 'not_started',
      exitCode: NOT_STARTED,
      fuel: 0,
      startFuel: readingFuelOf(moduleBytes),
      meterVersion: METER_VERSION,
    };
    return {
      release: (reason) => held.release(reason),
      capture,
      captureReading: () => capture(read),
    };
  }
}
