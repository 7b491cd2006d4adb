import type { CallToolResult, McpServer, StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { Injectable, type Type } from '@nestjs/common';
import { CheckQuery, CheckResult } from '../../check/check.dto.js';
import { NoParameters } from '../../errors/requests/no-parameters.dto.js';
import { validationPipe } from '../../errors/requests/validation.pipe.js';
import { RecordBudget } from '../../rate-limit/budget/record-budget.js';
import { Stats } from '../../stats/stats.dto.js';
import { SuggestQuery, SuggestResult } from '../../suggest/suggest.dto.js';
import { McpContract } from '../schemas/mcp-contract.js';
import { toolFailure } from '../mcp-failure.js';
import type { McpCall, McpFeature } from '../mcp-feature.js';
import { CheckDomainTool } from './check-domain.tool.js';
import { DatasetStatsTool } from './dataset-stats.tool.js';
import { RegisterResult } from './register-result.dto.js';
import { RegisterDomainTool } from './register-domain.tool.js';
import { SuggestDomainsTool } from './suggest-domains.tool.js';
import type { Tool } from './tool.js';

interface ToolSchemas {
  readonly inputSchema: StandardSchemaWithJSON;
  readonly outputSchema: StandardSchemaWithJSON;
}

/** Every class that an argument or a result has, for the OpenAPI document, which is made before there are tools. */
export const TOOL_SHAPES: Type<object>[] = [
  CheckQuery,
  CheckResult,
  SuggestQuery,
  SuggestResult,
  NoParameters,
  Stats,
  RegisterResult,
];

/** The four tools, in the order in which they are listed, always the same. */
@Injectable()
export class ToolSet implements McpFeature {
  readonly tools: readonly Tool[];
  private readonly pipe = validationPipe();
  // Compiling a schema takes milliseconds, a server lives for one request.
  private readonly schemas = new Map<Tool, ToolSchemas>();

  constructor(
    private readonly contract: McpContract,
    private readonly budget: RecordBudget,
    check: CheckDomainTool,
    suggest: SuggestDomainsTool,
    stats: DatasetStatsTool,
    register: RegisterDomainTool,
  ) {
    this.tools = [check, suggest, stats, register];
  }

  register(server: McpServer, call: McpCall): void {
    for (const tool of this.tools) {
      const { name, title, description, annotations } = tool;
      const config = { title, description, annotations, ...this.schemasOf(tool) };
      server.registerTool(name, config, (given) => this.run(tool, given, call));
    }
  }

  private async run(tool: Tool, given: unknown, { caller, requestId }: McpCall): Promise<CallToolResult> {
    try {
      const read = await this.read(tool, given);
      if (tool.costsRecords) this.budget.assertLeft(caller);
      const result = await tool.run(read, caller);
      return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: { ...result } };
    } catch (error) {
      return toolFailure(error, requestId);
    }
  }

  /** Judges the arguments with the class and the rules that the REST parameters have. */
  private async read(tool: Tool, given: unknown): Promise<object> {
    const place = { type: 'query', metatype: tool.arguments } as const;
    return (await this.pipe.transform(scalarsOf(given), place)) as object;
  }

  private schemasOf(tool: Tool): ToolSchemas {
    const known = this.schemas.get(tool);
    if (known) return known;
    const schemas = {
      inputSchema: this.contract.inputOf(tool.arguments),
      outputSchema: this.contract.outputOf(tool.result),
    };
    this.schemas.set(tool, schemas);
    return schemas;
  }
}

/**
 * Arguments are single values. What holds other values is replaced by an empty object, which every rule refuses by name:
 * so the depth of what an agent sends never reaches the validator. Models write null for what they leave out.
 */
function scalarsOf(given: unknown): object {
  if (typeof given !== 'object' || given === null) return {};
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]: [string, unknown]) => [name, typeof value === 'object' ? {} : value]),
  );
}
