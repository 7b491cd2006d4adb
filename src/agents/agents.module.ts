import { Module } from '@nestjs/common';
import { McpModule } from '../mcp/mcp.module.js';
import { PagesModule } from '../pages/pages.module.js';
import { AgentsController } from './agents.controller.js';
import { EntryController } from './entry.controller.js';

@Module({ imports: [McpModule, PagesModule], controllers: [EntryController, AgentsController] })
export class AgentsModule {}
