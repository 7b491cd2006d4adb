import { Module } from '@nestjs/common';
import { McpModule } from '../mcp/mcp.module.js';
import { AgentsController } from './agents.controller.js';

@Module({ imports: [McpModule], controllers: [AgentsController] })
export class AgentsModule {}
