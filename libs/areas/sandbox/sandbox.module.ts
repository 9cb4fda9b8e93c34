import { Module } from '@nestjs/common';
import { ExecuteModuleHandler } from './execute-module.handler.js';
import { ModuleRunner } from './module-runner.js';
import { SandboxAdmission } from './sandbox-admission.js';
import { WasmTool } from './wasm.tool.js';

@Module({
  providers: [ModuleRunner, SandboxAdmission, ExecuteModuleHandler, WasmTool],
  exports: [WasmTool],
})
export class SandboxModule {}
