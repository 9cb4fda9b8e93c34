import { Module } from '@nestjs/common';
import { MeshHandoffController } from './mesh-handoff.controller.js';
import { MeshTasksController } from './mesh-tasks.controller.js';

@Module({ controllers: [MeshHandoffController, MeshTasksController] })
export class MeshHttpModule {}
