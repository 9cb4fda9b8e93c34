import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { WasmController } from './wasm.controller.js';
import { WasmSettler } from './wasm.settler.js';

@Module({ controllers: [WasmController], providers: [ApiGuard, WasmSettler] })
export class SandboxHttpModule {}
