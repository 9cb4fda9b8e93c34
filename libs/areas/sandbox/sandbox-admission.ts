import { Inject, Injectable } from '@nestjs/common';
import { type WasmCaptureEvidence, type WasmHoldEvidence } from '#events/sandbox/wasm.evidence.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type Capture, type LedgerEntry, type Release } from '#platform/ledger/hold.js';
import { demandCurrent } from '#platform/ledger/held-request.js';
import { Ledger } from '#platform/ledger/ledger.port.js';
import { MeterPrices } from '#platform/ledger/meter-prices.port.js';
import { type CommandContext } from '#platform/runtime/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { fuelPriceOf } from './fuel-price.js';
import { requestMsMaxOf, SANDBOX_SETTINGS, type SandboxSettings } from './sandbox.settings.js';
import { type WasmEnd, type WasmTask } from './wasm.engine.js';
import { wasmProduct } from './wasm.product.js';

/** How long a hold outlives its run: time to settle before the sweep may expire it. */
const SETTLE_MS = 60_000;

export interface AdmissionOrder {
  readonly accountId: string;
  /** In milliseconds since the epoch. */
  readonly receivedAtMs: number;
  readonly task: WasmTask;
  readonly context: CommandContext;
  /** Whether this attempt still owns the request; false once a retry has taken it over. */
  readonly confirm?: () => Promise<boolean>;
}

/** A run whose limit of fuel is held. Call exactly one of `capture` and `release`, once. */
export interface AdmittedModule {
  /** Charges the fuel that was spent, whatever the outcome. */
  capture(end: WasmEnd): Promise<LedgerEntry>;
  release(reason: Release['reason']): Promise<void>;
}

/** Prices a run and holds its limit of fuel before any work. */
@Injectable()
export class SandboxAdmission {
  constructor(
    private readonly ledger: Ledger,
    private readonly prices: MeterPrices,
    @Inject(SANDBOX_SETTINGS) private readonly settings: SandboxSettings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError; RequestCutError when the hold came too late and is released again */
  async admit(order: AdmissionOrder): Promise<AdmittedModule> {
    const admitted = await this.#hold(order);
    await demandCurrent(order, admitted, requestMsMaxOf(this.settings), this.clock);
    return admitted;
  }

  async #hold({ accountId, task, context }: AdmissionOrder): Promise<AdmittedModule> {
    const now = this.clock.now();
    const price = fuelPriceOf(this.prices.inForce(now));
    const { moduleSha256, memoryLimitMb, fuelLimit } = task;
    const asked: WasmHoldEvidence = { moduleSha256, memoryLimitMb, fuelLimit };
    const holdId = context.requestId;
    const { purpose } = wasmProduct;
    await this.ledger.place(
      {
        accountId,
        holdId,
        purpose,
        shrink: null,
        lines: [price.lineOf(fuelLimit)],
        rateCardVersion: price.rateCardVersion,
        evidence: asked,
        placedAt: new Date(now).toISOString(),
        expiresAt: new Date(now + requestMsMaxOf(this.settings) + SETTLE_MS).toISOString(),
        ...(context.key !== undefined && { key: context.key }),
      },
      context,
    );
    const release = (reason: Release['reason']): Promise<void> =>
      this.ledger.release({ accountId, holdId, reason, releasedAt: instant(this.clock) }, context);
    return {
      release,
      capture: async ({ outcome, exitCode, fuel, meterVersion }) => {
        const evidence: WasmCaptureEvidence = { ...asked, outcome, exitCode, fuel, meterVersion };
        const capture: Capture = {
          accountId,
          holdId,
          purpose,
          rig: null,
          evidence,
          excess: [],
          lines: [price.lineOf(fuel)],
          usageSource: 'counted',
          outcome: outcome === 'timed_out' ? 'timed_out' : 'completed',
          capturedAt: instant(this.clock),
        };
        try {
          return await this.ledger.capture(capture, context);
        } catch (error) {
          // A charge that cannot be written is not owed; the second error has the same cause.
          await release('internal_error').catch(() => undefined);
          throw error;
        }
      },
    };
  }
}
