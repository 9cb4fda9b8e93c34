import { Module } from '@nestjs/common';
import { ChangeTaskHandler } from './change-task.handler.js';
import { MeshTaskHandler, MeshTasksHandler } from './mesh-task.queries.js';
import { MeshTasks } from './mesh-tasks.js';

@Module({ providers: [MeshTasks, ChangeTaskHandler, MeshTaskHandler, MeshTasksHandler] })
export class MeshModule {}
