import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { WasmController } from './wasm.controller.js';

@Module({ controllers: [WasmController], providers: [ApiGuard] })
export class SandboxHttpModule {}
