import { type ExecutionAnswer } from '#areas/sandbox/execute-module.handler.js';
import { textOf } from '#areas/sandbox/output-text.js';
import { type WasmExecutionDto } from './wasm.dto.js';

export const presentExecution = ({ end, moduleSha256 }: ExecutionAnswer): WasmExecutionDto => ({
  exit_code: end.exitCode,
  stdout: textOf(end.stdoutBase64),
  stderr: textOf(end.stderrBase64),
  execution_time_ms: end.elapsedMs,
  gas_used: end.fuel,
  start_gas: end.startFuel,
  outcome: end.outcome,
  message: end.message,
  output_truncated: end.outputTruncated,
  memory_bytes: end.memoryBytes,
  module_sha256: moduleSha256,
  meter_version: end.meterVersion,
});
